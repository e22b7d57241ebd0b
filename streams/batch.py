"""A batch as a client parsed it: a `Record` is made only of a row that somebody looks at.

Most rows are drawn by their key or body, counted, and never looked at again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Protocol, overload

from streams.ports import Record

_published = attrgetter("published")


class Parsed(Protocol):
    """What decides whether a row is drawn. A `Record` is one, and so is a row of aiokafka."""

    @property
    def offset(self) -> int:
        """Where it lies in its partition."""
        ...

    @property
    def key(self) -> bytes | None:
        """The record's key."""
        ...

    @property
    def value(self) -> bytes | None:
        """The record's body."""
        ...

    @property
    def timestamp(self) -> int:
        """In milliseconds since 1970."""
        ...

    @property
    def headers(self) -> Sequence[tuple[str, bytes | None]]:
        """The record's headers. On Kafka the value of one may be null."""
        ...


@dataclass(frozen=True, slots=True)
class Batch(Sequence[Record]):
    """Rows of one partition of which no earlier life has finished or published anything.

    `record` makes the record of a row. It is made anew at each look.
    """

    rows: Sequence[Parsed]
    record: Callable[[Parsed], Record]

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Record: ...

    @overload
    def __getitem__(self, place: slice) -> "Batch": ...

    def __getitem__(self, place: int | slice) -> "Record | Batch":
        if isinstance(place, slice):
            return Batch(self.rows[place], self.record)
        return self.record(self.rows[place])


def parsed(batch: Sequence[Record]) -> Sequence[Parsed]:
    """Return the rows of any batch at the least cost."""
    return batch.rows if isinstance(batch, Batch) else batch


def published(batch: Sequence[Record]) -> set[int]:
    """Return the places of the rows of which an earlier life published something."""
    if isinstance(batch, Batch) or not any(map(_published, batch)):
        return set()
    return {n for n, record in enumerate(batch) if record.published}
