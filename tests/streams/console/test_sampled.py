import json
from datetime import timedelta

import pytest

from streams.console.sampled import RowSample, sample, sample_account, traffic
from streams.intake.decode import Intake
from streams.ports import Record
from tests.fakes import NOON, a_record, a_trace


def rows(*times: int, partition: int = 0) -> list[Record]:
    """Return rows that were answered so many minutes after noon."""
    return [
        a_record(a_trace(minute=minute, id=f"{partition}-{n}"), n, partition=partition)
        for n, minute in enumerate(times)
    ]


def seen(records: list[Record]) -> RowSample:
    return sample(records, Intake().decode)


def said(records: list[Record]) -> str:
    return "\n".join("  " * line.depth + line.text for line in sample_account(seen(records)))


def test_rows_a_minute_apart_are_1440_a_day() -> None:
    found = traffic(seen(rows(0, 1, 2, 3)))

    assert found is not None
    assert found.a_day == pytest.approx(1440)
    assert (found.rows, found.last - found.first) == (4, timedelta(minutes=3))


def test_the_rates_of_partitions_add_up_whatever_their_spans() -> None:
    found = traffic(seen(rows(0, 1, 2) + rows(0, 10, 20, partition=1)))

    assert found is not None
    assert found.a_day == pytest.approx(1440 + 144)


def test_rows_in_any_order_tell_the_same() -> None:
    found = traffic(seen(rows(3, 0, 2, 1)))

    assert found is not None
    assert found.a_day == pytest.approx(1440)


@pytest.mark.parametrize("times", [(), (1,), (1, 1, 1)])
def test_rows_of_one_time_tell_no_traffic(times: tuple[int, ...]) -> None:
    assert traffic(seen(rows(*times))) is None


def test_rows_of_one_burst_tell_no_traffic() -> None:
    times = [NOON + timedelta(milliseconds=100 * n) for n in range(9)]
    burst = [a_trace(id=str(at)).model_copy(update={"answered_at": at}) for at in times]

    assert traffic(seen([a_record(trace, n) for n, trace in enumerate(burst)])) is None


def test_it_says_what_rows_carry_and_why_others_cannot_be_read() -> None:
    bare = {"service": "desk", "answer": "Yes.", "contexts": [], "dialect": "ragas", "citations": 7}
    records = [
        *rows(0, 1),
        a_record(json.dumps(bare).encode(), 2),
        a_record(b"not json", 3),
    ]

    account = said(records)

    assert "rows: 3 of the last 4 can be read" in account
    assert "  1 rejected: not_json (docs/messages.md)" in account
    assert "  question: 2 (67%)" in account
    assert "  contexts: 3 (100%), 1 of them empty" in account
    assert "  citations: 0 (0%), 1 unusable" in account
    assert "  dialects: not named 2, ragas 1" in account


def test_it_names_the_encodings_and_says_where_the_settings_miss_one() -> None:
    spans = b'{"resourceSpans": [{}]}'
    records = [*rows(0, 1), a_record(spans, 2), a_record(b"\xff", 3)]

    assert "  encodings: json 2, otlp_json 1, not known 1; intake.encoding: json" in said(records)
    assert "reads no other" not in said([*rows(0), a_record(b"\xff", 1)])


def test_a_topic_without_rows_is_no_fault_and_one_without_readable_rows_is() -> None:
    [none] = sample_account(seen([]))
    first, *_ = sample_account(seen([a_record(b"nope", 0)]))

    assert (none.text, none.tone) == ("rows: none yet", "")
    assert (first.text, first.tone) == ("rows: 0 of the last 1 can be read", "bad")
