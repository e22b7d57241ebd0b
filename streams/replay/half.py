"""The score half of a replay: verdicts that were bought before are published again, not bought."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from schemas.rejection import Rejection
from schemas.score import ScoreEvent
from streams.pipeline import Scoring
from streams.ports import Record
from streams.replay.reissue import reissued
from streams.scoring.chances import Chance
from streams.scoring.earlier import Earlier
from streams.scoring.events import Sampled


@dataclass(frozen=True, slots=True)
class Replaying:
    """A `Half` around the one that scores live traffic.

    A row that cannot be read is counted, and not set aside: whoever read it live has done so.
    """

    scoring: Scoring
    earlier: Earlier

    def admit(self, batch: Sequence[Record]) -> list[tuple[Record, Sampled | Rejection]]:
        """Draw and tally every row, and read what was drawn."""
        return self.scoring.admit(batch)

    async def finish(self, record: Record, work: Sampled | Rejection) -> None:
        """Publish again what is known of a row, and buy the rest."""
        if isinstance(work, Rejection):
            return
        known = {chance: self._known(work, chance) for chance in work.draw.drawn}
        again = [self._again(work, chance, event) for chance, event in known.items() if event]
        if again:
            await self.scoring.sink.publish(again)
        left = tuple(chance for chance, event in known.items() if event is None)
        await self.scoring.finish(record, replace(work, draw=work.draw._replace(drawn=left)))

    def _known(self, row: Sampled, chance: Chance) -> ScoreEvent | None:
        return self.earlier.verdict(self.scoring.panel[chance.scorer].event_id(row.trace))

    def _again(self, row: Sampled, chance: Chance, event: ScoreEvent) -> ScoreEvent:
        card, seat = self.scoring.scorecard, self.scoring.panel[chance.scorer]
        return reissued(
            event,
            row,
            run=card.run or "",
            sampling=card.sampling(row, chance),
            bad=seat.scorer.bad,
            at=self.scoring.clock(),
        )

    @property
    def due(self) -> bool:
        """Say whether a block of tallies is full."""
        return self.scoring.due

    async def settle(self, now: datetime, *, everything: bool = False) -> None:
        """Write the tallies of ended blocks."""
        await self.scoring.settle(now, everything=everything)

    async def beat(self, now: datetime) -> None:
        """Settle what is old enough, and tell the watch half how far the run has got."""
        await self.scoring.beat(now)
