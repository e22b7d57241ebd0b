"""One replay's scores and tallies read again, in order of event time, as if they had been live.

Memory stays flat however many there are: SQLite keeps and sorts them in files.
"""

import sqlite3
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

import structlog

from schemas.mark import Mark
from schemas.score import ScoreEvent
from schemas.tally import Tally
from streams.glance import Glance
from streams.ports import Record
from streams.scratch import DiskFullError, scratch
from streams.watch.partitions import Fault
from streams.watch.reading import UnreadableMessageError, read_message
from streams.watch.run_time import Period, longest_period, passing
from streams.watch.stored_time import Kept, event_time

log = structlog.get_logger()

_TABLE = "CREATE TABLE kept (scores INTEGER, time INTEGER, place INTEGER, message BLOB)"
_BY_TIME = "CREATE INDEX by_time ON kept (scores, time, place)"
_KEEP = "INSERT INTO kept VALUES (?, ?, ?, ?)"
_TIMES = "SELECT time FROM kept ORDER BY time"
_PLAY = """
    SELECT time, message FROM kept WHERE scores = ? AND time BETWEEN ? AND ? ORDER BY time, place
"""


class _Row(NamedTuple):
    """A record as it is kept: partition of the scores topic, event time, offset, bytes."""

    scores: int
    time: int
    place: int
    message: bytes


@dataclass(slots=True)
class StoredRun:
    """Reads the `run` whose scores and tallies were taken in. Of use between entry and exit."""

    run: str
    unreadable: Fault
    _kept: sqlite3.Connection = field(init=False)
    _partitions: list[int] = field(default_factory=list, init=False)
    _period: Period | None = field(default=None, init=False)

    def __enter__(self) -> Self:
        self._kept = scratch(_TABLE)
        return self

    def __exit__(self, *error: object) -> None:
        self._kept.close()

    async def take_in(self, glance: Glance, scores: str) -> None:
        """Take in all that the scores topic holds of the run.

        Raises ConnectionError where that cannot be read to its end, and DiskFullError. What
        lies beyond a silence of weeks, by a wrong date, is left out and told of.
        """
        self._partitions = sorted(await glance.sizes(scores))
        try:
            for partition in self._partitions:
                async for records in glance.onwards(scores, partition):
                    self._keep(records)
            self._kept.execute(_BY_TIME)
            self._period = longest_period(time for [time] in self._kept.execute(_TIMES))
        except sqlite3.OperationalError as error:
            raise DiskFullError(
                f"the scores of the run have no room ({error}): let TMPDIR name a folder with "
                "as much as they take on the topic"
            ) from error
        [rows] = self._kept.execute("SELECT count(*) FROM kept").fetchone()
        if self._period and (beyond := rows - self._period.rows):
            log.warning("rows_of_wrong_dates", run=self.run, left_out=beyond)

    async def partitions(self) -> list[int]:
        """Return the partitions of the scores topic."""
        return self._partitions

    async def messages(self, partition: int) -> AsyncIterator[Kept | Mark]:
        """Yield a partition's scores and tallies, with marks that let their own time pass."""
        if self._period is None:
            return
        begin, end, _ = self._period
        rows = self._kept.execute(_PLAY, (partition, begin, end))
        for item in passing(_read(rows, self.run), begin=begin, end=end):
            yield item

    def _keep(self, records: Sequence[Record]) -> None:
        self._kept.execute("BEGIN")
        self._kept.executemany(_KEEP, self._rows(records))
        self._kept.execute("COMMIT")

    def _rows(self, records: Iterable[Record]) -> Iterator[_Row]:
        for record in records:
            try:
                message = read_message(record.value)
            except UnreadableMessageError as error:
                self.unreadable(record, str(error))
                continue
            if isinstance(message, ScoreEvent | Tally) and message.run == self.run:
                time = event_time(message)
                yield _Row(record.partition, time, record.offset, record.value or b"")


def _read(rows: Iterable[tuple[int, bytes]], run: str) -> Iterator[tuple[int, ScoreEvent | Tally]]:
    """Yield what was kept as live scores and tallies, each with its event time."""
    for time, value in rows:
        message = read_message(value)
        if isinstance(message, ScoreEvent):
            yield time, message.model_copy(update={"run": None, "mode": "live"})
        elif isinstance(message, Tally):
            yield time, message.model_copy(update={"run": None})
