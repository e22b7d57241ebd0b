from datetime import timedelta

import pytest

from schemas.alert import Alert, AlertValue, AlertWindow
from schemas.pane import Pane, Segment
from schemas.rejection import Rejection
from streams.address import Topics, dead_headers, letter, published_row
from streams.ports import Record
from tests.fakes import NOON
from tests.streams.ports.messages import a_score, a_tally


def test_a_score_is_found_by_its_headers_alone() -> None:
    sent = letter(a_score(partition=3, offset=81234, event_id="424e"), Topics())

    assert (sent.topic, sent.key, sent.route) == ("rag.scores", b"shop/production", sent.key)
    assert dict(sent.headers) == {
        "streamgauge-origin": b"rag.traces/3/81234/1767268800000",
        "streamgauge-event-id": b"424e",
        "streamgauge-mode": b"live",
    }
    assert published_row(sent.headers, topic="rag.traces", wanted=b"live") == (3, 81234, "424e")


def test_a_score_carries_the_context_of_its_trace_where_it_is_known() -> None:
    context = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"

    sent = letter(a_score().model_copy(update={"traceparent": context}), Topics())

    assert dict(sent.headers)["traceparent"] == context.encode()


def test_a_replayed_score_says_so() -> None:
    score = a_score().model_copy(update={"mode": "replay", "run": "r-7"})

    sent = letter(score, Topics())

    assert dict(sent.headers)["streamgauge-mode"] == b"replay:r-7"
    assert published_row(sent.headers, topic="rag.traces", wanted=b"live") is None


def test_a_tally_goes_with_the_scores_of_its_assistant() -> None:
    sent = letter(a_tally(), Topics(scores="other"))

    assert (sent.topic, sent.key, sent.route) == ("other", b"shop/production", b"shop/production")
    assert published_row(sent.headers, topic="rag.traces", wanted=b"live") is None


def test_a_pane_has_a_key_of_its_own_on_its_assistants_partition() -> None:
    pane = Pane(
        assistant="shop/production",
        scorer="faithfulness",
        series="8c1e",
        segment=Segment(name="prompt_version", value="v7"),
        start=NOON,
        length_s=60,
        final=False,
        offset=7,
    )

    sent = letter(pane, Topics())

    assert (sent.topic, sent.route) == ("rag.windows", b"shop/production")
    assert sent.key == (
        b"shop/production|faithfulness|8c1e|prompt_version=v7|2026-01-01T12:00:00.000Z|60|live"
    )


def test_an_alert_has_its_dedup_key_on_its_assistants_partition() -> None:
    alert = Alert(
        alert_id="a",
        dedup_key="d",
        status="firing",
        rule="bad-answers",
        severity="page",
        starts_at=NOON,
        evaluated_at=NOON,
        window=AlertWindow(start=NOON, end=NOON + timedelta(hours=1), length_s=3600),
        labels={"service_name": "shop", "environment": "production"},
        value=AlertValue(),
    )

    sent = letter(alert, Topics())

    assert (sent.topic, sent.key, sent.route) == ("rag.alerts", b"d", b"shop/production")


def test_a_score_of_another_topics_row_is_none_of_ours() -> None:
    sent = letter(a_score(), Topics())

    assert published_row(sent.headers, topic="rag.traces.2", wanted=b"live") is None


@pytest.mark.parametrize("origin", [b"", b"rag.traces/1", b"rag.traces/a/b/c", b"\xff/1/1/1"])
def test_headers_that_nobody_of_ours_wrote_name_no_row(origin: bytes) -> None:
    headers = (
        ("streamgauge-mode", b"live"),
        ("streamgauge-origin", origin),
        ("streamgauge-event-id", b"e"),
    )

    assert published_row(headers, topic="rag.traces", wanted=b"live") is None


def a_dead_row(headers: tuple[tuple[str, bytes], ...] = ()) -> dict[str, bytes]:
    record = Record("rag.traces", 1, 9, b"k", b"{", 1_767_268_800_000, headers)
    why = Rejection("not_json", "line 1: unexpected end")
    return dict(dead_headers(record, why, at=NOON, group="g", version="0.1.0"))


def test_a_dead_letter_says_why_and_whence() -> None:
    assert a_dead_row((("traceparent", b"00-x"),)) == {
        "streamgauge-origin": b"rag.traces/1/9/1767268800000",
        "streamgauge-reason": b"not_json",
        "streamgauge-detail": b"line 1: unexpected end",
        "streamgauge-attempts": b"1",
        "streamgauge-first-failed-at": b"2026-01-01T12:00:00.000Z",
        "streamgauge-group": b"g",
        "streamgauge-version": b"0.1.0",
        "streamgauge-redrives": b"0",
        "original-traceparent": b"00-x",
    }


def test_a_dead_letter_that_was_sent_back_counts_on() -> None:
    headers = a_dead_row(
        (
            ("streamgauge-attempts", b"1"),
            ("streamgauge-redrives", b"1"),
            ("streamgauge-first-failed-at", b"2025-12-31T00:00:00.000Z"),
        )
    )

    assert headers["streamgauge-attempts"] == b"2"
    assert headers["streamgauge-redrives"] == b"1"
    assert headers["streamgauge-first-failed-at"] == b"2025-12-31T00:00:00.000Z"
    assert not [name for name in headers if name.startswith("original-")]


def test_counters_that_nobody_of_ours_wrote_begin_anew() -> None:
    headers = a_dead_row((("streamgauge-attempts", b"many"), ("streamgauge-redrives", b"-1")))

    assert headers["streamgauge-attempts"] == b"1"
    assert headers["streamgauge-redrives"] == b"0"
