"""What becomes of a record: a trace, a trace with something missing, or a rejection."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.rejection import Rejection
from schemas.trace import RagTrace
from streams.intake.decode import Intake
from streams.intake.layout import ALIASES, RowLayout
from tests.streams.intake.rows import NINE_FIFTEEN, record, row


def trace(value: object, layout: RowLayout | None = None) -> RagTrace:
    """Decode what must be a trace."""
    decoded = Intake(layout or RowLayout()).decode(record(value))
    assert isinstance(decoded, RagTrace), decoded
    return decoded


def rejection(value: object, layout: RowLayout | None = None) -> Rejection:
    """Decode what must be refused, by either reader alike."""
    decoded = Intake(layout or RowLayout()).decode(record(value))
    assert isinstance(decoded, Rejection), decoded
    return decoded


WHOLE: dict[str, object] = {
    "schema": "streamgauge.trace/1",
    "trace_id": "0af7651916cd43dd8448eb211c80319c",
    "span_id": "00f067aa0ba902b7",
    "service": "museum",
    "environment": "staging",
    "session_id": 42,
    "answered_at": "2026-01-31T10:15:00.1239+01:00",
    "question": "Wann öffnet das Museum?",
    "history": [{"role": "user", "text": "Hallo"}],
    "contexts": [{"key": "A", "text": "Geöffnet ab 10 Uhr.", "score": 0.5, "source": "s"}],
    "answer": "Um 10 Uhr. [A]",
    "citations": {"A": "Geöffnet ab 10 Uhr.", "B": None},
    "tool_results": [{"hours": [10, 18]}, "ok"],
    "reference": "10 Uhr",
    "feedback": "up",
    "attributes": {"prompt_version": "v7"},
    "upstream_probability": 0.25,
    "dialect": "openinference",
    "missing": ["history"],
    "colour": "ignored",
}


def test_a_whole_row_is_read() -> None:
    read = trace(WHOLE)

    settled = {"session_id": "42", "answered_at": "2026-01-31T09:15:00.123Z"}
    assert read == RagTrace.model_validate(WHOLE | settled)


def test_a_row_that_names_next_to_nothing_gets_the_defaults() -> None:
    read = trace({"service": "shop"})

    assert read.trace_id == record(None).row_id
    assert read.assistant == "shop/production"
    assert read.answered_at == datetime(2026, 1, 31, 9, 15, tzinfo=UTC)
    assert read.answered_at_from == "record"
    assert (read.question, read.contexts, read.answer) == (None, None, None)
    assert read.unusable == ()


REJECTED: dict[str, tuple[object, str, str]] = {
    "a tombstone": (None, "tombstone", "no value"),
    "no bytes": (b"", "empty", "no text"),
    "a torn row": (b'{"service":', "not_json", "character 11"),
    "a list": ([row()], "not_an_object", "not an object"),
    "a row of the next major": (row(schema="streamgauge.trace/2"), "newer_schema", "upgrade"),
    "a row of no version": (row(schema="streamgauge.trace/x"), "newer_schema", "schema"),
    "a score": (row(schema="streamgauge.score/1"), "wrong_schema", "no row"),
    "no service": ({"trace_id": "t-1"}, "no_identity", "service"),
    "a service of null": (row(service=None), "no_identity", "service"),
    "a blank service": (row(service="  "), "no_identity", "service"),
    "a service that is a list": (row(service=["shop"]), "bad_identity", "service: not text"),
    "a service that is true": (row(service=True), "bad_identity", "service: not text"),
    "a service too long": (row(service="s" * 257), "bad_identity", "service: longer"),
    "a service with a NUL": (row(service="sh\0op"), "bad_identity", "service: holds control"),
    "a service with a bidi control": (row(service="sh\u202eop"), "bad_identity", "service: holds"),
    "an environment with a slash": (row(environment="a/b"), "bad_identity", "environment"),
    "a trace id that is an object": (row(trace_id={}), "bad_identity", "trace_id: not text"),
    "a trace id that is a fraction": (row(trace_id=1.5), "bad_identity", "trace_id: not text"),
    "a time without a zone": (row(answered_at="2026-01-31T09:15:00"), "bad_time", "answered_at"),
    "a time in words": (row(answered_at="yesterday"), "bad_time", "answered_at"),
    "a day that is none": (row(answered_at="2026-02-30T09:15:00Z"), "bad_time", "answered_at"),
    "the edge of the calendar": (row(answered_at="0001-01-01T00:00:00+14:00"), "bad_time", "a"),
    "a time before 1970": (row(answered_at=-1), "bad_time", "answered_at"),
    "a time past all calendars": (row(answered_at=10**400), "bad_time", "answered_at"),
    "a time that is true": (row(answered_at=True), "bad_time", "answered_at"),
    "a time that is a list": (row(answered_at=[2026]), "bad_time", "answered_at"),
}


@pytest.mark.parametrize(("value", "reason", "says"), REJECTED.values(), ids=REJECTED)
def test_what_is_unreadable_or_nobodys_is_rejected_by_both_readers(
    value: object, reason: str, says: str
) -> None:
    rejected = rejection(value)

    assert (rejected.reason, says in rejected.detail) == (reason, True)
    assert Intake().head(record(value)) == rejected


def test_a_rejection_says_whose_row_it_was_where_that_can_be_read() -> None:
    assert rejection(row(answered_at="?")).assistant == "shop/production"
    assert rejection(row(schema="streamgauge.trace/2", environment="qa")).assistant == "shop/qa"
    assert rejection(row(service=[])).assistant is None
    assert rejection(b"{").assistant is None
    assert rejection(b"{", RowLayout(assistant=("shop", "qa"))).assistant == "shop/qa"


def test_a_rejection_holds_nothing_of_the_row() -> None:
    for field in ("service", "environment", "trace_id", "answered_at", "schema"):
        value = {**row(), field: "streamgauge.4711/4711\0"}

        assert "4711" not in rejection(value).detail


def test_a_longer_record_is_refused_unread() -> None:
    assert Intake(max_bytes=10).decode(record(b"x" * 11)) == Rejection(
        "too_large", "longer than 10 bytes"
    )


def test_a_duplicate_key_is_seen_when_the_row_is_read_in_full() -> None:
    twice = b'{"service":"shop","answer":"a","answer":"b"}'

    assert not isinstance(Intake().head(record(twice)), Rejection)
    assert rejection(twice).reason == "duplicate_key"


def test_a_schema_field_of_another_tool_is_no_version() -> None:
    assert trace(row(schema={"type": "struct"})).trace_id == "t-1"
    assert trace(row(schema="acme.answer/7")).trace_id == "t-1"
    assert trace(row(schema="streamgauge.trace/1.4")).trace_id == "t-1"


UNUSABLE: dict[str, object] = {
    "question": ["What?"],
    "answer": {"text": "That."},
    "reference": 10,
    "history": [{"role": "user"}],
    "contexts": "one text",
    "citations": ["1"],
    "tool_results": {"a": 1},
}


@pytest.mark.parametrize(("field", "value"), UNUSABLE.items())
def test_content_of_the_wrong_kind_is_unusable_and_costs_no_other_field(
    field: str, value: object
) -> None:
    sound: dict[str, object] = {"question": "Q", "answer": "A", "reference": "R"}

    read = trace(row(**{**sound, field: value}))

    assert read.unusable == (field,)
    assert getattr(read, field) is None
    for name in set(sound) - {field}:
        assert getattr(read, name) == sound[name]


def test_null_content_is_absent_and_empty_content_is_there() -> None:
    read = trace(row(question=None, contexts=[], answer="", citations={}, tool_results=[]))

    assert read.question is None
    assert (read.contexts, read.answer, read.citations) == ((), "", {})
    assert read.unusable == ()


def test_texts_are_kept_as_they_are() -> None:
    odd = "a\0b \u202e c \r\n  "

    assert trace(row(answer=odd)).answer == odd


@pytest.mark.parametrize(
    ("field", "alias"), [(field, alias) for field, known in ALIASES.items() for alias in known]
)
def test_an_alias_is_read_and_the_canonical_name_wins(field: str, alias: str) -> None:
    value, other = SAMPLES.get(field, ("one", "two"))
    without = {name: v for name, v in row().items() if name != field}

    by_alias = getattr(trace({**without, alias: value}), field)
    by_name = getattr(trace({**without, field: value}), field)
    by_both = getattr(trace({**without, alias: other, field: value}), field)
    by_null = getattr(trace({**without, alias: value, field: None}), field)

    assert by_alias == by_name == by_both == by_null
    assert by_alias not in (None, (), {})


SAMPLES: dict[str, tuple[object, object]] = {
    "answered_at": ("2026-01-31T09:14:00Z", "2026-01-31T09:13:00Z"),
    "history": ([{"role": "user", "content": "Hi"}], []),
    "contexts": (["a"], ["b"]),
    "tool_results": ([1], [2]),
    "attributes": ({"model": "m"}, {"model": "n"}),
}


def test_no_two_fields_share_a_name() -> None:
    names = [name for field, known in ALIASES.items() for name in (field, *known)]

    assert len(names) == len(set(names))


def test_every_field_of_a_trace_that_a_row_may_carry_has_a_name() -> None:
    assert set(ALIASES) == set(RagTrace.model_fields) - {"answered_at_from", "unusable"}


def rows() -> st.SearchStrategy[dict[str, object]]:
    """Rows with anything at all in some of their fields."""
    anything = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["key", "text", "role", "id"]), inner)
        ),
        max_leaves=6,
    )
    names = ["service", "trace_id", "answered_at", *UNUSABLE, "attributes"]
    return st.dictionaries(st.sampled_from(names), anything)


@settings(max_examples=150)
@given(rows())
def test_both_readers_agree_on_who_and_when(fields: dict[str, object]) -> None:
    value = json.dumps({"service": "shop", **fields}).encode()

    head, read = Intake().head(record(value)), Intake().decode(record(value))

    if isinstance(head, Rejection):
        assert isinstance(read, Rejection)
    elif isinstance(read, RagTrace):
        known_as = head.trace_id or record(value).row_id
        assert (known_as, head.profile.assistant) == (read.trace_id, read.assistant)
        assert head.at == round(read.answered_at.timestamp() * 1000)
        assert set(read.unusable) <= set(UNUSABLE)


def test_the_deepest_and_the_widest_row_are_read() -> None:
    deep: object = 1
    for _ in range(97):
        deep = [deep]

    read = trace(row(tool_results=[deep], contexts=["p"] * 10_000))

    assert read.contexts is not None
    assert len(read.contexts) == 10_000
    assert read.to_json()
    assert len(read.content_hash) == 32


def test_a_time_from_a_wrong_clock_is_clamped_to_the_record() -> None:
    read = trace(row(answered_at="2026-01-31T09:20:00.001Z"))

    assert read.answered_at_from == "clamped"
    assert read.answered_at.timestamp() * 1000 == NINE_FIFTEEN
