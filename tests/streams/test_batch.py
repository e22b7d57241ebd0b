"""A batch whose records are made as they are looked at is any other sequence of records."""

import pytest

from streams.batch import Batch, Parsed, parsed, published
from streams.intake.decode import Intake
from streams.ports import Record
from streams.scoring.sampling import BodySampler, KeySampler, Sampler

ROWS = [
    Record("rag.traces", 0, 7 + n, key, b'{"service": "shop"}', 1_000 * n, topic_id="t")
    for n, key in enumerate((b"a", None, b"c"))
]


def made(row: Parsed) -> Record:
    return Record("rag.traces", 0, row.offset, row.key, row.value, row.timestamp, topic_id="t")


def test_its_records_are_those_of_its_rows() -> None:
    batch = Batch(ROWS, made)

    assert (list(batch), len(batch), batch[-1]) == (ROWS, 3, ROWS[2])
    assert list(batch[1:]) == ROWS[1:]
    assert parsed(batch) is ROWS


def test_only_records_may_have_a_past() -> None:
    told = [ROWS[0], ROWS[1]._replace(published=frozenset({"e"}))]

    assert published(told) == {1}
    assert published(Batch(ROWS, made)) == set()


@pytest.mark.parametrize(
    "sampler",
    [
        KeySampler("salt", 0.5, "shop/production", {"plain": None}),
        BodySampler("salt", 0.5, [], {"plain": None}, Intake().heads),
    ],
    ids=["by key", "by body"],
)
def test_its_rows_are_drawn_as_their_records_are(sampler: Sampler) -> None:
    assert sampler.draws(Batch(ROWS, made)) == sampler.draws(ROWS)
