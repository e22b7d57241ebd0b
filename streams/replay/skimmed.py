"""Score events as a run reads them back: where it begins, and the little that it asks of each."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from schemas.wire import to_milliseconds
from streams.address import EVENT_ID, MODE
from streams.ports import Record

BEFORE = timedelta(minutes=5)
"""How far apart the clocks of who writes rows and verdicts may be: no verdict precedes its row."""


class Outcome(msgspec.Struct):
    """Of a `schemas.score` outcome, whether it is a verdict."""

    status: str


class Usage(msgspec.Struct):
    """Of a `schemas.score.Usage`, what a run adds up."""

    attempts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None


class Origin(msgspec.Struct):
    """Of a `schemas.score.Origin`, whose shard the row is in."""

    partition: int


class Skimmed(msgspec.Struct):
    """Of a `schemas.score.ScoreEvent`, what tells its row, its cost, and whether it is of use."""

    event_id: str
    config_hash: str
    outcome: Outcome
    origin: Origin
    usage: Usage
    reused: bool = False


class Said(NamedTuple):
    """A score event where it lies: `mode` is what its header says, `value` all of its bytes."""

    mode: bytes | None
    offset: int
    value: bytes
    event: Skimmed


_decoder = msgspec.json.Decoder(Skimmed)


def beginning(since: datetime) -> int:
    """Return from when on the scores topic is read for rows from `since` on, in ms since 1970."""
    return max(0, to_milliseconds(since - BEFORE))


def skimmed(records: Iterable[Record], wanted: Callable[[bytes | None], bool]) -> Iterator[Said]:
    """Yield the score events of the modes that are wanted; what cannot be read is left out."""
    for record in records:
        headers = dict(record.headers)
        mode = headers.get(MODE)
        if record.value is None or EVENT_ID not in headers or not wanted(mode):
            continue
        try:
            event = _decoder.decode(record.value)
        except msgspec.DecodeError:
            continue
        yield Said(mode, record.offset, record.value, event)
