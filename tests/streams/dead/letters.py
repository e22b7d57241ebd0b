"""Builders of dead letters, by the code that sets rows aside."""

from schemas.rejection import Rejection
from schemas.wire import to_milliseconds
from streams.address import Headers, dead_headers
from streams.ports import Record
from tests.fakes import NOON


def a_letter(
    offset: int,
    *,
    partition: int = 0,
    row: int = 7,
    value: bytes | None = b"not json",
    reason: str = "not_json",
    headers: Headers = (),
    topic: str = "rag.traces",
) -> Record:
    """Return the letter of a row that lay on partition 3; `offset` is its second after noon."""
    at = to_milliseconds(NOON)
    before = Record(topic, 3, row, b"k-%d" % row, value, at - 5000, headers)
    why = dead_headers(before, Rejection(reason, "byte 0"), at=NOON, group="g", version="1")
    return Record("rag.dead", partition, offset, before.key, value, at + 1000 * offset, why)
