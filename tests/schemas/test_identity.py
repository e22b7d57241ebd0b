import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.identity import (
    alert_id,
    config_hash,
    dedup_key,
    event_id,
    hash_of,
    row_id,
    series,
)
from schemas.trace import Passage, RagTrace, Turn
from tests.fakes import NOON

CONFIG = "b9c2aa16e5f1c5fb"
CONTENT = "a0bd7149b24c0a80171fc8ff817a925b"
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def opening_hours() -> RagTrace:
    return RagTrace(
        trace_id="order-123",
        service="museum",
        answered_at=NOON,
        question="Wann öffnet das Museum?",
        contexts=(Passage(key="1", text="Geöffnet ab 10 Uhr.", source="a.md", score=0.5),),
        answer="Um 10 Uhr. [1]",
    )


def test_the_content_of_the_contract_has_the_hash_of_the_contract() -> None:
    assert opening_hours().content_hash == CONTENT


def test_the_configuration_of_the_contract_has_the_hash_of_the_contract() -> None:
    scorer = {
        "abstentions": ["No relevant evidence found."],
        "min_words": 4,
        "name": "citation_accuracy",
        "superscripts": False,
        "threshold": 0.5,
        "version": "1",
    }

    judge = {"name": "rules", "version": "1", "model": None}
    assert config_hash(scorer=scorer, judge=judge) == CONFIG  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("trace_id", "span_id", "event"),
    [
        (
            "0af7651916cd43dd8448eb211c80319c",
            "00f067aa0ba902b7",
            "424e0b126fd0bc1babb012ecfdae7a18",
        ),
        ("order-123", None, "e13a22ddd6e5b0b82d13bad7a9455ac2"),
    ],
)
def test_events_have_the_ids_of_the_contract(
    trace_id: str, span_id: str | None, event: str
) -> None:
    found = event_id(
        trace_id=trace_id,
        span_id=span_id,
        content=CONTENT,
        scorer="citation_accuracy",
        config=CONFIG,
    )

    assert found == event


@given(
    question=st.none() | TEXT,
    answer=st.none() | TEXT,
    contexts=st.none() | st.lists(st.tuples(TEXT, TEXT), max_size=3),
    history=st.lists(st.tuples(TEXT, TEXT), max_size=2),
    citations=st.none() | st.dictionaries(TEXT, st.none() | TEXT, max_size=3),
    tool_results=st.none()
    | st.lists(st.dictionaries(TEXT, st.floats(allow_nan=False, allow_infinity=False)), max_size=2),
)
def test_content_is_hashed_as_canonical_json_whatever_hand_writes_it(
    *,
    question: str | None,
    answer: str | None,
    contexts: list[tuple[str, str]] | None,
    history: list[tuple[str, str]],
    citations: dict[str, str | None] | None,
    tool_results: list[dict[str, float]] | None,
) -> None:
    trace = opening_hours().model_copy(
        update={
            "question": question,
            "answer": answer,
            "contexts": None
            if contexts is None
            else tuple(Passage(key=k, text=t) for k, t in contexts),
            "history": tuple(Turn(role=r, text=t) for r, t in history),
            "citations": citations,
            "tool_results": None if tool_results is None else tuple(tool_results),
        }
    )
    passages = None if contexts is None else [{"text": t, "key": k} for k, t in contexts]
    by_the_book = {
        "question": question,
        "history": [{"role": r, "text": t} for r, t in history],
        "contexts": passages,
        "answer": answer,
        "citations": citations,
        "tool_results": tool_results,
        "reference": None,
    }

    assert trace.content_hash == hash_of(by_the_book, size=16)


@given(trace_id=TEXT, span_id=st.none() | TEXT, scorer=TEXT)
def test_events_are_named_by_canonical_json_whatever_hand_writes_it(
    trace_id: str, span_id: str | None, scorer: str
) -> None:
    found = event_id(
        trace_id=trace_id, span_id=span_id, content=CONTENT, scorer=scorer, config=CONFIG
    )

    assert found == hash_of([trace_id, span_id or "", CONTENT, scorer, CONFIG], size=16)


def test_a_missing_field_is_hashed_as_null_and_a_missing_history_as_empty() -> None:
    bare = RagTrace(trace_id="t", service="s", answered_at=NOON)

    fields = dict.fromkeys(
        ("question", "contexts", "answer", "citations", "tool_results", "reference")
    )
    assert bare.content_hash == hash_of({**fields, "history": []}, size=16)


def test_a_key_that_is_null_is_left_out_of_a_configuration() -> None:
    one = config_hash(scorer={"name": "a", "seed": None}, judge={"name": "b"})

    assert one == config_hash(scorer={"name": "a"}, judge={"name": "b", "model": None})


def test_a_series_is_the_configuration_while_the_model_is_the_one_that_was_asked_for() -> None:
    assert series(CONFIG, asked="m-1", resolved=["m-1"]) == CONFIG
    assert series(CONFIG, asked=None, resolved=[]) == CONFIG


def test_a_series_changes_when_an_alias_moves() -> None:
    moved = series(CONFIG, asked="latest", resolved=["m-2"])

    assert moved != CONFIG
    assert moved == hash_of([CONFIG, ["m-2"]], size=8)


def test_the_ids_of_alerts_and_rows_are_hashes_of_what_names_them() -> None:
    dedup = dedup_key("bad-answers", {"service_name": "shop"})

    assert dedup == hash_of(["bad-answers", {"service_name": "shop"}], size=16)
    assert alert_id(dedup, "2026-01-01T12:00:00.000Z") == hash_of(
        [dedup, "2026-01-01T12:00:00.000Z"], size=16
    )
    assert row_id("topic", 0, 7) == "row-" + hash_of(["topic", 0, 7], size=16)
