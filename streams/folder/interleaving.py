"""Two topics read in the order in which they were written: a mark names the scores before it.

Whoever reads them again, from their start, then meets the same records in the same order as whoever
read them as they came. One writer writes both, so a mark is there before any score after it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from schemas.mark import Mark
from streams.folder.log import LogReader
from streams.folder.topic import TopicPartition, records
from streams.watch.reading import UnreadableMessageError, read_message


@dataclass(slots=True)
class Cursor:
    """How far one partition of one topic was read."""

    place: TopicPartition
    log: LogReader
    offset: int = 0


Cursors = Mapping[tuple[str, int], Cursor]

Allowed = Callable[[tuple[str, int], Cursors], int | None]
"""How many rows of a topic's partition may be read now; None: as many as there are."""


def as_they_come(where: tuple[str, int], cursors: Cursors) -> int | None:
    """Allow everything."""
    return None


@dataclass(slots=True)
class Interleaving:
    """Allows marks once the scores before them were read, and scores once the marks were."""

    scores: str
    marks: str
    _next: dict[int, tuple[int, int]] = field(default_factory=dict)

    def __call__(self, where: tuple[str, int], cursors: Cursors) -> int | None:
        """Return how many rows may be read of a partition of either topic."""
        topic, partition = where
        scores, marks = (
            cursors.get((self.scores, partition)),
            cursors.get((self.marks, partition)),
        )
        if scores is None or marks is None:
            return None
        scores.log.grow()
        marks.log.grow()  # after the scores: what was written before them is then seen
        before = self._before_next_mark(partition, marks)
        if before is None:
            return None
        if topic == self.scores:
            return max(0, before - scores.offset)
        return 1 if before <= scores.offset or scores.offset >= scores.log.end else 0

    def _before_next_mark(self, partition: int, marks: Cursor) -> int | None:
        """Return the end of the scores that the next mark names; None without a mark."""
        at, end = self._next.get(partition, (-1, 0))
        if at != marks.offset:
            found, _ = records(marks.log, marks.offset, rows=1, place=marks.place)
            if not found:
                return None
            end = _scores(found[0].value)
            self._next[partition] = (marks.offset, end)
        return end


def _scores(value: bytes | None) -> int:
    try:
        message = read_message(value)
    except UnreadableMessageError:
        return 0
    return message.scores if isinstance(message, Mark) else 0
