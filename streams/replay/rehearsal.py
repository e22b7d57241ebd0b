"""What a replay would do and cost: every row is drawn, and some of those drawn are rehearsed.

Nobody is asked and nothing is written. What a verdict takes is told by a few rows from all over the
stretch, so it is an estimate; how many rows are drawn is not.
"""

import heapq
from collections.abc import AsyncIterable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from schemas.rejection import Rejection
from schemas.score import Usage
from schemas.trace import RagTrace
from streams.console.rehearsal import rehearse
from streams.console.taking import Taken
from streams.ports import Record
from streams.scoring.earlier import Earlier
from streams.scoring.events import Sampled, read
from streams.scoring.panel import Seat
from streams.scoring.sampling import Sampler

BASIS = 200
"""How many rows of each scorer are rehearsed."""


@dataclass(frozen=True, slots=True)
class ScorerEstimate:
    """What one scorer would do: rows that it draws, verdicts that are there, what the rest take.

    `usage` is scaled up from the `basis` rows that were rehearsed; its cost is None where the price
    of some model that is asked is not known.
    """

    sampled: int
    reusable: int
    basis: int
    usage: Usage

    @property
    def bought(self) -> int:
        """How many verdicts would be bought."""
        return self.sampled - self.reusable


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would do. `sampled` rows are drawn by one scorer at least."""

    rows: int
    sampled: int
    rejected: int
    scorers: Mapping[str, ScorerEstimate]

    @property
    def usage(self) -> Usage:
        """What all scorers take together; the cost is None where it is of one of them."""
        parts = [one.usage for one in self.scorers.values()]
        costs = [part.cost_usd for part in parts]
        known = [cost for cost in costs if cost is not None]
        return Usage(
            calls=sum(part.calls for part in parts),
            attempts=sum(part.attempts for part in parts),
            input_tokens=sum(part.input_tokens for part in parts),
            output_tokens=sum(part.output_tokens for part in parts),
            cost_usd=sum(known) if len(known) == len(costs) else None,
        )


class _Kept(NamedTuple):
    """A row that may be rehearsed. Those of the least ids are: a fair sample, always the same."""

    order: int
    place: int
    trace: RagTrace


@dataclass(slots=True)
class _Counted:
    """What is known of one scorer while rows are read."""

    sampled: int = 0
    reusable: int = 0
    basis: list[_Kept] = field(default_factory=list)

    def keep(self, event_id: str, trace: RagTrace) -> None:
        """Consider a row for rehearsal."""
        kept = _Kept(-int(event_id, 16), self.sampled, trace)
        if len(self.basis) < BASIS:
            heapq.heappush(self.basis, kept)
        elif kept > self.basis[0]:
            heapq.heapreplace(self.basis, kept)


@dataclass(slots=True)
class Rehearsal:
    """Reads rows as a run would, and counts."""

    sampler: Sampler
    decode: Callable[[Record], RagTrace | Rejection]
    panel: Mapping[str, Seat]
    earlier: Earlier
    _rows: int = field(default=0, init=False)
    _sampled: int = field(default=0, init=False)
    _rejected: int = field(default=0, init=False)
    _scorers: dict[str, _Counted] = field(default_factory=dict, init=False)

    async def read(self, batches: AsyncIterable[Sequence[Record]]) -> None:
        """Take in all batches, each of one partition and none empty."""
        async for batch in batches:
            self.take(batch)

    def take(self, batch: Sequence[Record]) -> None:
        """Draw a batch, and read what was drawn."""
        draws = self.sampler.draws(batch)
        self._rows += len(batch)
        for n, draw in draws.others.items():
            row = read(batch[n], draw, self.decode)
            if isinstance(row, Rejection):
                self._rejected += 1
            elif row.draw.drawn:
                self._sampled += 1
                self._count(row)

    def _count(self, row: Sampled) -> None:
        for chance in row.draw.drawn:
            found = self._scorers.setdefault(chance.scorer, _Counted())
            found.sampled += 1
            event_id = self.panel[chance.scorer].event_id(row.trace)
            if self.earlier.verdict(event_id) is None:
                found.keep(event_id, row.trace)
            else:
                found.reusable += 1

    async def estimate(self, stages: Sequence[str], models: Mapping[str, Taken]) -> Estimate:
        """Rehearse some rows of each scorer, and say what all would take.

        `stages` are the judges that are asked, in order; `models` those of them that are models.
        """
        priced = all(model.priced for model in models.values())
        scorers = {}
        for name, seat in self.panel.items():
            found = self._scorers.get(name, _Counted())
            traces = [kept.trace for kept in sorted(found.basis)]
            part = (await rehearse([seat.scorer], stages, models, traces))[name]
            times = (found.sampled - found.reusable) / max(1, len(traces))
            usage = _scaled(part.usage, times, priced=priced)
            scorers[name] = ScorerEstimate(found.sampled, found.reusable, len(traces), usage)
        return Estimate(self._rows, self._sampled, self._rejected, scorers)


def _scaled(usage: Usage, times: float, *, priced: bool) -> Usage:
    free = usage.input_tokens + usage.output_tokens == 0
    return Usage(
        calls=round(usage.calls * times),
        attempts=round(usage.attempts * times),
        input_tokens=round(usage.input_tokens * times),
        output_tokens=round(usage.output_tokens * times),
        cost_usd=(usage.cost_usd or 0.0) * times if priced or free else None,
    )
