"""Where each event and each tally goes, and the two guards that keep it from counting twice.

A pane refuses offsets up to its last one, so a log that is read again changes nothing. Among the
open panes of a scorer of an assistant the first event with an id wins, so a row that is delivered
again, or judged by two workers, counts once. Of an event's panes the total is written last: its
offset says that all of them are written, and its ids are the only ones needed.
"""

from collections.abc import Sequence
from dataclasses import replace

from schemas.score import ScoreEvent
from schemas.tally import Tally
from schemas.wire import to_milliseconds
from streams.watch.panes.events import minute_of, origin_of, pane_of, repeat_of
from streams.watch.panes.ledger import LedgerPane
from streams.watch.panes.pane import OTHER, Family, PaneKey, ScorePane
from streams.watch.panes.shelf import Shelf, parent


class Filing:
    """Puts events and tallies into panes, and remembers the ids of those that are open."""

    def __init__(
        self,
        scores: Shelf[ScorePane],
        ledgers: Shelf[LedgerPane],
        *,
        segments: Sequence[str],
        max_panes: int,
    ) -> None:
        self._scores = scores
        self._ledgers = ledgers
        self._segments = segments
        self._max_panes = max_panes
        self._holders: dict[tuple[Family, str], tuple[PaneKey, ...]] = {}
        for key, pane in scores.items():
            for event_id in pane.ids:
                self._hold(key, event_id)

    def file(self, message: ScoreEvent | Tally, *, offset: int) -> list[PaneKey]:
        """File one record of the scores topic, and return the panes that it was written to."""
        if isinstance(message, Tally):
            return self._tally(message, offset)
        return self._score(message, offset)

    def _score(self, event: ScoreEvent, offset: int) -> list[PaneKey]:
        run = event.run or ("replay" if event.mode == "replay" else "")
        family = Family(event.assistant, event.scorer.name, event.series, run=run)
        minute = minute_of(to_milliseconds(event.trace.answered_at))
        key = self._scores.home(family, minute)
        pane = self._scores.get(key) or ScorePane()
        if offset <= pane.last:
            return []
        holders = self._holders.get((parent(family), event.event_id), ())
        if holders:
            adding = repeat_of(event, offset=offset, known=self._knows(holders, event))
            written = []
        else:
            adding = pane_of(event, offset=offset)
            written = self._file_segments(event, replace(adding, ids={}), family, minute)
        self._write(key, pane, adding, late=not holders)
        return [*written, key]

    def _tally(self, tally: Tally, offset: int) -> list[PaneKey]:
        family = Family(tally.assistant, run=tally.run or "")
        key = self._ledgers.home(family, minute_of(to_milliseconds(tally.minute)))
        pane = self._ledgers.get(key) or LedgerPane()
        if offset <= pane.last:
            return []
        self._ledgers.put(key, pane.with_tally(tally, offset=offset))
        return [key]

    def forget(self, key: PaneKey) -> None:
        """Forget the ids of a pane that is about to be final."""
        pane = self._scores.get(key) or ScorePane()
        for event_id in pane.ids:
            held = (parent(key.family), event_id)
            others = tuple(other for other in self._holders[held] if other != key)
            if others:
                self._holders[held] = others
            else:
                del self._holders[held]

    def _file_segments(
        self, event: ScoreEvent, adding: ScorePane, family: Family, minute: int
    ) -> list[PaneKey]:
        written = []
        for name in self._segments:
            if name in event.attributes:
                key = self._segment_home(family, name, event.attributes[name], minute)
                pane = self._scores.get(key) or ScorePane()
                if adding.last > pane.last:
                    self._write(key, pane, adding, late=True)
                    written.append(key)
        return written

    def _segment_home(self, family: Family, name: str, value: str, minute: int) -> PaneKey:
        """Return a segment's pane; once there are too many panes, new ones share one."""
        key = self._scores.home(family._replace(segment=f"{name}={value}"), minute)
        full = len(self._scores) + len(self._ledgers) >= self._max_panes
        if full and self._scores.get(key) is None:
            return self._scores.home(family._replace(segment=f"{name}={OTHER}"), minute)
        return key

    def _write(self, key: PaneKey, pane: ScorePane, adding: ScorePane, *, late: bool) -> None:
        """A final pane takes what comes late, counts it so, and keeps no ids."""
        if pane.final:
            adding = replace(adding, ids={}, late=int(late))
        self._scores.put(key, pane + adding)
        for event_id in adding.ids:
            self._hold(key, event_id)

    def _hold(self, key: PaneKey, event_id: str) -> None:
        held = (parent(key.family), event_id)
        holders = self._holders.get(held, ())
        if key not in holders:
            self._holders[held] = (*holders, key)

    def _knows(self, holders: Sequence[PaneKey], event: ScoreEvent) -> bool:
        """Say whether this very row has brought this id before."""
        panes = (self._scores.get(key) for key in holders)
        origin = origin_of(event)
        return any(pane and origin in pane.ids.get(event.event_id, ()) for pane in panes)
