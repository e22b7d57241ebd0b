"""Verdicts that lie on the scores topic already, in a file of their own: a replay buys none twice.

Memory stays flat however many there are.
"""

import asyncio
import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Self

from pydantic import ValidationError

from schemas.score import ScoreEvent
from streams.address import LIVE, mode
from streams.glance import Glance
from streams.ports import Record
from streams.replay.skimmed import beginning, skimmed
from streams.scratch import DiskFullError, scratch

_TABLES = """
    CREATE TABLE verdicts (
        id BLOB NOT NULL, later INTEGER NOT NULL, place INTEGER NOT NULL, event BLOB NOT NULL
    );
    CREATE UNIQUE INDEX by_id ON verdicts (id);
"""
_KEEP = """
    INSERT INTO verdicts VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
    SET later = excluded.later, place = excluded.place, event = excluded.event
    WHERE (excluded.later, excluded.place) < (later, place)
"""
_FIND = "SELECT event FROM verdicts WHERE id = ?"


class _Row(NamedTuple):
    """An event as it is kept. `later` than live verdicts are those of other runs."""

    id: bytes
    later: bool
    place: int
    event: bytes


@dataclass(slots=True)
class Verdicts:
    """An `Earlier`: what live traffic and other runs than `run` said, first of all what live did.

    `configs` are the configurations' hashes that are of use; of two verdicts with one id the one
    that was written first counts. An error is no verdict: it is bought anew.
    """

    run: str
    configs: Collection[str]
    _kept: sqlite3.Connection = field(init=False)
    _writing: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        self._kept = scratch(_TABLES, any_thread=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with self._writing:  # a thread goes on with its batch though nobody waits for it any more
            self._kept.close()

    def verdict(self, event_id: str) -> ScoreEvent | None:
        """Return the event of that id; None where there is none that can be read."""
        found = self._kept.execute(_FIND, (_key(event_id),)).fetchone()
        if found is not None:
            with suppress(ValidationError):
                return ScoreEvent.model_validate_json(found[0])
        return None

    def __len__(self) -> int:
        """Return how many verdicts are known."""
        [count] = self._kept.execute("SELECT count(*) FROM verdicts").fetchone()
        return int(count)

    async def learn(self, glance: Glance, scores: str, *, since: datetime | None) -> None:
        """Take in what the scores topic holds of rows from `since` on; None: all of it.

        Raises ConnectionError where it cannot be read to its end, and DiskFullError.
        """
        begin = 0 if since is None else beginning(since)
        for partition in await glance.sizes(scores):
            async for records in glance.onwards(scores, partition, since=begin):
                await asyncio.to_thread(self.take, records)

    def take(self, records: Sequence[Record]) -> None:
        """Take in some records of the scores topic, in any thread. Raises DiskFullError."""
        with self._writing:
            try:
                self._kept.execute("BEGIN")
                self._kept.executemany(_KEEP, self._rows(records))
                self._kept.execute("COMMIT")
            except sqlite3.OperationalError as error:
                raise DiskFullError(
                    f"the verdicts that are there already have no room ({error}): let TMPDIR name "
                    "a folder with some KiB for each, or buy them again with --again"
                ) from error

    def _rows(self, records: Iterable[Record]) -> Iterator[_Row]:
        own, live = mode(self.run), LIVE.encode()
        for of, offset, value, event in skimmed(records, lambda of: of != own):
            if event.config_hash in self.configs and event.outcome.status != "error":
                yield _Row(_key(event.event_id), of != live, offset, value)


def _key(event_id: str) -> bytes:
    """Return an id as it is looked up: half as long, where it is one of ours."""
    try:
        return bytes.fromhex(event_id)
    except ValueError:
        return event_id.encode()
