"""What a replay has done and paid in all its lives, and the end of it where the budget is reached.

Nothing is drawn less often for it: a run that stops is resumed, and its rows are the same. Whoever
is told to stop lets no row begin any more, and those that were begun are finished: they are half
paid. So a run pays at most its budget and what its rows in flight cost from then on.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from schemas.run import Spent
from schemas.score import Failed, ScoreEvent, Usage
from schemas.tally import StratumTally, Tally
from streams.ports import Message
from streams.replay.asked import Limit
from streams.scoring.draws import Draws


@dataclass(slots=True)
class Spending:
    """A `Throttle` that lowers no probability: it counts, and calls `stop` once.

    `before` is what earlier lives spent; where that has used up the budget, the first rows stop the
    run. A call is a request to an endpoint, as in `judge.budget`. Rows that a killed life had read
    further than it could commit are counted by both lives.
    """

    limit: Limit
    stop: Callable[[], None]
    before: Spent = field(default_factory=Spent)
    kept: float = field(default=1.0, init=False)
    _spent: Spent = field(init=False)
    _unpriced: bool = field(default=False, init=False)
    _stopped: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._spent = self.before

    @property
    def spent(self) -> Spent:
        """What all lives of the run have done and paid."""
        return self._spent

    @property
    def reached(self) -> str | None:
        """Why nothing is bought any more; None while the budget lasts."""
        return next(self._reasons(), None)

    @property
    def used(self) -> Mapping[str, float]:
        """The part of each budget that is used up; above 1 by what rows in flight cost."""
        spent, limit = self._spent, self.limit
        found = {"calls": (spent.calls, limit.calls), "cost": (spent.cost_usd, limit.cost_usd)}
        return {name: _part(of, most) for name, (of, most) in found.items() if most is not None}

    def count(self, draws: Draws) -> None:
        """End a run whose budget was used up before, with its first rows."""
        self._stop_if_reached()

    def spend(self, usage: Usage) -> None:
        """Note what a verdict cost, or what was paid for want of one."""
        sent, said = usage.input_tokens, usage.output_tokens
        cost = usage.cost_usd
        self._unpriced = self._unpriced or (cost is None and sent + said > 0)
        self._add(calls=usage.attempts, input_tokens=sent, output_tokens=said, cost_usd=cost or 0.0)
        self._stop_if_reached()

    def published(self, messages: Sequence[Message]) -> None:
        """Note what was written: verdicts that were bought, were there before, or were not had.

        Rows are counted with their tallies, for those that were only read come again.
        """
        for one in messages:
            if isinstance(one, ScoreEvent):
                failed = isinstance(one.outcome, Failed)
                self._add(**{counted_as(reused=one.reused, failed=failed): 1})
            elif isinstance(one, Tally):
                strata = one.strata.values()
                seen = sum(stratum.seen for stratum in strata)
                self._add(rows=seen + one.rejected, sampled=sum(map(_drawn, strata)))

    def beat(self, now: datetime) -> None:
        """Time alone costs nothing."""

    def _reasons(self) -> Iterator[str]:
        spent, limit = self._spent, self.limit
        if limit.calls is not None and spent.calls >= limit.calls:
            yield f"{spent.calls:,} of {limit.calls:,} calls are made"
        if limit.cost_usd is None:
            return
        if spent.cost_usd >= limit.cost_usd:
            yield f"${spent.cost_usd:,.4f} of ${limit.cost_usd:,.2f} are spent"
        if self._unpriced:
            yield "the budget is money, and what a call costs is not known: set the judge's price"

    def _stop_if_reached(self) -> None:
        if not self._stopped and self.reached is not None:
            self._stopped = True
            self.stop()

    def _add(self, **more: float) -> None:
        spent = self._spent
        self._spent = spent.model_copy(
            update={name: getattr(spent, name) + amount for name, amount in more.items()}
        )


def _drawn(stratum: StratumTally) -> int:
    """Return the rows that any scorer drew: one draw serves all, so lower rates nest in higher."""
    return max((scorer.sampled for scorer in stratum.scorers.values()), default=0)


def counted_as(*, reused: bool, failed: bool) -> str:
    """Return the field of `Spent` that a published event is counted in."""
    if reused:
        return "reused"
    return "errors" if failed else "judged"


def _part(of: float, most: float) -> float:
    return of / most if most else 1.0
