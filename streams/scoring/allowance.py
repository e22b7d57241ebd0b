"""How fast one limit may be used up, so that it lasts to the end of its period. Pure."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from schemas.score import Usage

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)

NEARLY = 0.8
"""The part of a limit at which somebody is to hear of it."""

_TELLING = 0.02
"""The part of a period that has to be known before it speaks for the part that is not."""

_SLOWEST, _FASTEST = 0.1, 2.0
"""How far the pace may leave the even one, whatever was spent or left before."""

_MEMORY = 0.8
"""What a minute's figures still weigh a minute later, in the price of a verdict."""


@dataclass(slots=True)
class Allowance:
    """A limit of the group on what verdicts cost in each period (the UTC hour or day).

    All is kept as a part of this process's share, so that it stays right when shares change. Of the
    part of a period before `began` nothing is known: it is taken to have been spent evenly.
    """

    name: str
    amount: float
    period: timedelta
    counts: Callable[[Usage], float]
    began: datetime
    used: float = field(init=False)
    """The part of our share that is used up in this period; above 1 where it was not enough."""
    _assumed: float = field(init=False)
    _start: datetime = field(init=False)
    _elapsed: float = field(init=False)
    _fresh: float = field(default=0.0, init=False)
    _spent: float = field(default=0.0, init=False)
    _verdicts: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self._start, self._elapsed = self._place(self.began)
        self.used = self._assumed = self._elapsed

    def spend(self, usage: Usage) -> None:
        """Note what a verdict cost."""
        spent = self.counts(usage)
        self._fresh += spent
        self._spent += spent
        self._verdicts += 1

    def turn(self, now: datetime, share: float) -> float | None:
        """Return how many verdicts a minute may be had from `now` on; None: their price is unknown.

        What is left is spread evenly over the rest of the period, within bounds: a quiet night is
        not made up for in an hour, and an overspent morning leaves something of the afternoon.
        `share` in (0, 1] is this process's part of the group.
        """
        start, self._elapsed = self._place(now)
        if start != self._start:
            self._start, self.used, self._assumed = start, 0.0, 0.0
        self.used += self._fresh / (self.amount * share)
        self._fresh = 0.0
        pace = min(_FASTEST, max(_SLOWEST, (1 - self.used) / (1 - self._elapsed)))
        a_minute = pace * self.amount * share * (timedelta(minutes=1) / self.period)
        return self._affordable(a_minute)

    def _affordable(self, a_minute: float) -> float | None:
        if not self._verdicts:
            return None
        price = self._spent / self._verdicts
        self._spent *= _MEMORY
        self._verdicts *= _MEMORY
        return a_minute / price if price else float("inf")

    @property
    def nearly_used(self) -> bool:
        """Whether four fifths are used up, as far as what is known bears out what is assumed.

        The first moments after a start bear out nothing, unless they used up what was left.
        """
        known, even = self.used - self._assumed, self._elapsed - self._assumed
        telling = even >= _TELLING or known >= NEARLY * (1 - self._assumed)
        return self.used >= NEARLY and known > 0 and known >= NEARLY * even and telling

    def _place(self, at: datetime) -> tuple[datetime, float]:
        """Return the start of the period that a time is in, and the part of it that has passed."""
        into = (at - EPOCH) % self.period
        return at - into, into / self.period


def allowances(
    calls_per_hour: float | None, cost_per_day: float | None, *, began: datetime
) -> list[Allowance]:
    """Return the limits that are set. Calls are requests to endpoints, cost is US dollars."""
    found = []
    if calls_per_hour is not None:
        found.append(
            Allowance("calls_per_hour", calls_per_hour, HOUR, lambda usage: usage.attempts, began)
        )
    if cost_per_day is not None:
        found.append(
            Allowance("cost_per_day", cost_per_day, DAY, lambda usage: usage.cost_usd or 0.0, began)
        )
    return found
