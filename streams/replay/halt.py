"""Ending a run before its end: nothing is begun any more, and what is not done comes again."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from schemas.score import Failed, ScoreEvent
from scorers.asking.ours import NotOursError
from streams.ports import Message
from streams.replay.gated import Passage
from streams.scoring.gate import Gate
from streams.scoring.panel import Seat

REFUSED = timedelta(minutes=1)
"""How long a judge may refuse everyone before a run stops: no person may be looking."""

IN_A_ROW = 50
"""How many verdicts may fail one after another: what is down fails every one of them."""

_LOOKS_SECONDS = 0.5


@dataclass(slots=True)
class Halt:
    """Why a run ends early, once it does. `stop` ends the reading."""

    stop: Callable[[], None]
    because: str | None = None
    _asked: asyncio.Event = field(default_factory=asyncio.Event)
    _failed: int = 0

    def ask(self, because: str) -> None:
        """End the run; the first reason counts."""
        if self.because is None:
            self.because = because
            self._asked.set()
            self.stop()

    def published(self, messages: Sequence[Message]) -> None:
        """Hear of verdicts, and end the run once too many in a row were not to be had."""
        for one in messages:
            if not isinstance(one, ScoreEvent) or one.reused:
                continue
            if not isinstance(one.outcome, Failed):
                self._failed = 0
                continue
            self._failed += 1
            if self._failed >= IN_A_ROW:
                error = one.outcome.error
                self.ask(f"{self._failed} verdicts in a row failed: {error.cause or error.kind}")

    def heeded(self, panel: Mapping[str, Seat]) -> dict[str, Seat]:
        """Return the seats, letting no row begin once the run ends, nor wait for its judge."""
        return {
            name: replace(seat, gate=_Heeding(self._asked, seat.gate))
            for name, seat in panel.items()
        }

    async def on_refusal(self, panel: Mapping[str, Seat], *, patience: timedelta = REFUSED) -> None:
        """End the run when a judge of these seats has refused everyone for that long."""
        gates = [seat.gate for seat in panel.values() if isinstance(seat.gate, Gate)]
        loop = asyncio.get_running_loop()
        open_at = loop.time()
        while self.because is None:
            await asyncio.sleep(_LOOKS_SECONDS)
            if not any(gate.shut for gate in gates):
                open_at = loop.time()
            elif loop.time() - open_at >= patience.total_seconds():
                self.ask("the judge refuses everyone")


@dataclass(frozen=True, slots=True)
class _Heeding:
    """Waits at a gate, or until the run ends."""

    ended: asyncio.Event
    gate: Passage

    async def __call__(self) -> None:
        """Return once a row may begin. Raises NotOursError where the run ends: it stays undone."""
        passing = asyncio.ensure_future(self.gate())
        ending = asyncio.ensure_future(self.ended.wait())
        try:
            await asyncio.wait({passing, ending}, return_when=asyncio.FIRST_COMPLETED)
            if self.ended.is_set():
                raise NotOursError
            await passing
        finally:
            passing.cancel()
            ending.cancel()
