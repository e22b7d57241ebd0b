"""What is known of a dead letter by its headers, and the row that goes back. Pure.

A letter that was sent back stays where it is. Behind it, on the same partition, a note says so: a
record of ours without content, whose header names the letter's offset. So every run knows what the
runs before it did, whatever they were asked for, and on every broker alike.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from schemas.tally import UNKNOWN_ASSISTANT
from streams.address import (
    ATTEMPTS,
    DETAIL,
    FIRST_FAILED_AT,
    ORIGIN,
    ORIGINAL,
    REASON,
    REDRIVES,
    count_of,
)
from streams.ports import Record

REDRIVEN = "streamgauge-redriven"

UNTOLD = "untold"
"""The reason of a record that nobody of ours set aside."""


class SourcePosition(NamedTuple):
    """Where a row lay when it was set aside; `timestamp` in milliseconds since 1970."""

    topic: str
    partition: int
    offset: int
    timestamp: int

    def __str__(self) -> str:
        return f"{self.topic}/{self.partition}/{self.offset}"


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A dead letter without its bytes. `set_aside_at` in milliseconds since 1970.

    `partition` and `offset` say where it lies among the dead letters; `origin` where the row came
    from, None where no header tells. `hollow`: its bytes are not here, for it was too large.
    """

    partition: int
    offset: int
    origin: SourcePosition | None
    reason: str
    detail: str
    assistant: str
    attempts: int
    redrives: int
    first_failed_at: str
    set_aside_at: int
    hollow: bool


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which letters are asked for; None: all. `since` in milliseconds since 1970."""

    reason: str | None = None
    assistant: str | None = None
    since: int | None = None

    def holds(self, letter: DeadLetter) -> bool:
        """Say whether a letter is among them. It is as old as its last failure."""
        return (
            self.reason in {None, letter.reason}
            and self.assistant in {None, letter.assistant}
            and (self.since is None or letter.set_aside_at >= self.since)
        )


def letter_of(record: Record, assistant: Callable[[Record], str | None]) -> DeadLetter:
    """Return what is known of a letter. `assistant` reads whose row it is, as far as that goes."""
    headers = dict(record.headers)

    def text(name: str) -> str:
        return headers.get(name, b"").decode(errors="replace")

    return DeadLetter(
        partition=record.partition,
        offset=record.offset,
        origin=_origin(text(ORIGIN)),
        reason=text(REASON) or UNTOLD,
        detail=text(DETAIL),
        assistant=assistant(record) or UNKNOWN_ASSISTANT,
        attempts=count_of(headers.get(ATTEMPTS)),
        redrives=count_of(headers.get(REDRIVES)),
        first_failed_at=text(FIRST_FAILED_AT),
        set_aside_at=record.timestamp,
        hollow=not record.key and not record.value,
    )


def _origin(text: str) -> SourcePosition | None:
    try:
        topic, *numbers = text.rsplit("/", 3)
        partition, offset, timestamp = map(int, numbers)
    except ValueError:
        return None
    return SourcePosition(topic, partition, offset, timestamp)


def row_of(record: Record, origin: SourcePosition, redrives: int) -> Record:
    """Return the row as it was before it became a letter, to be sent back for the nth time.

    Key, value, time and headers are its own. Beside these it carries three of the letter's, from
    which a letter to come is counted on.
    """
    held = dict(record.headers)
    own = tuple(
        (name.removeprefix(ORIGINAL), value)
        for name, value in record.headers
        if name.startswith(ORIGINAL)
    )
    carried = tuple((name, held[name]) for name in (ATTEMPTS, FIRST_FAILED_AT) if name in held)
    return Record(
        origin.topic,
        origin.partition,
        origin.offset,
        record.key,
        record.value,
        origin.timestamp,
        (*own, *carried, (REDRIVES, str(redrives).encode())),
    )


def note_of(record: Record, *, at: int) -> Record:
    """Return the note that a letter was sent back. `at` in milliseconds since 1970."""
    named = ((REDRIVEN, str(record.offset).encode()),)
    return Record(record.topic, record.partition, record.offset, None, b"", at, named)


def noted(record: Record) -> int | None:
    """Return the offset of the letter that a note tells of; None where the record is no note."""
    told = dict(record.headers).get(REDRIVEN)
    return None if told is None else count_of(told)
