"""Labels files: what is read back, what stays sealed, and how what is wrong is named."""

import json
from collections.abc import Callable

import pytest

from schemas.label import LabelRow, unsealed
from schemas.trace import Passage
from streams.labels.picking import pick
from streams.labels.reading import LabelsError, read_labels
from streams.labels.rows import label_row, line
from tests.fakes import a_trace
from tests.streams.labels.judged import an_event


def lines(*, blind: bool = True, rows: int = 2) -> list[bytes]:
    picks = pick([an_event(row, 0.1) for row in range(rows)], {}, count=9, salt="a")
    trace = a_trace("We open at 7 am.")
    return [line(label_row(one, trace, {}, blind=blind)).encode() for one in picks]


def filled(raw: bytes, **values: object) -> bytes:
    return json.dumps(json.loads(raw) | values).encode()


def faults(*raw: bytes) -> list[str]:
    with pytest.raises(LabelsError) as refused:
        read_labels(raw)
    return list(refused.value.faults)


def test_a_row_shows_the_answer_and_its_evidence_and_hides_the_verdict() -> None:
    row = LabelRow.model_validate_json(lines()[0])

    assert row.answer == "We open at 7 am."
    assert row.evidence
    assert isinstance(row.evidence[0], Passage)
    assert row.label is None
    assert row.verdict is None
    assert b"stratum" not in lines()[0]
    assert unsealed(row.sealed).verdict == "bad"


def test_whoever_asks_for_it_sees_the_verdict() -> None:
    row = LabelRow.model_validate_json(lines(blind=False)[0])

    assert row.verdict == unsealed(row.sealed)


@pytest.mark.parametrize("label", ["good", "bad", "unsure", 1, 5, None])
def test_labels_are_read_back(label: object) -> None:
    assert read_labels([filled(lines()[0], label=label)])[0].label == label


def test_empty_lines_are_passed_over() -> None:
    assert len(read_labels([*lines(), b"", b"  \n"])) == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda raw: filled(raw, label="wrong"), "line 2: label: write good, bad, unsure"),
        (lambda raw: filled(raw, label=6), "line 2: label: write good, bad, unsure"),
        (lambda raw: filled(raw, label=True), "line 2: label: write good, bad, unsure"),
        (lambda raw: filled(raw, note=4), "line 2: note: write text, or null"),
        (lambda raw: filled(raw, sealed="abc"), "line 2: sealed: was changed"),
        (lambda raw: filled(raw, sealed=7), "line 2: sealed: is missing or was changed"),
        (lambda raw: filled(raw, schema="x/1"), "line 2: schema: is not streamgauge.label/1"),
        (lambda raw: raw[:-4], "line 2: not one JSON object a line"),
    ],
)
def test_what_is_wrong_is_named_by_line_and_field(
    change: Callable[[bytes], bytes], said: str
) -> None:
    first, second = lines()

    (fault,) = faults(first, change(second))

    assert fault.startswith(said)


def test_an_answer_that_stands_twice_is_refused() -> None:
    first, second = lines()

    assert faults(first, second, first) == [
        "line 3: event_id: stands in line 1 already: keep one of them"
    ]
