"""Standing back while live traffic is short of judges: what its marks and tallies say. No clock.

A replay has a fixed share of what the judge may be asked in a minute. While live rows lag, or are
shed, it takes nothing; once they are well again it comes back step by step. Without live marks for
two minutes there is no live traffic, and nobody to stand back for: a run cannot wait for ever.
"""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from schemas.mark import Mark
from schemas.tally import Tally

GONE = timedelta(minutes=2)
"""How long live traffic is taken to be there after its last mark, and shed after its last tally."""

LAG, RELIEF = 1.0, 0.5
"""Minutes of its own rows that live traffic lags by when it is troubled, and when it is well."""

GROWING, SLIGHT = 3, 0.25
"""How often in a row a lag has to grow to be troubling, and from how many minutes on."""

FEW = 16
"""Rows that lie open wherever judges are asked at all: of slow traffic they would be an hour's."""

STEP, STEPS = timedelta(seconds=30), 4
"""How long each step takes to the full share, and how many there are."""

_KNOWN = timedelta(seconds=15)
"""How long a partition has to be watched before the rate of its rows is known."""


@dataclass(slots=True)
class _Partition:
    """One live source partition by its newest mark, and where it ended before, by when we heard."""

    epoch: int
    at: datetime
    lag: int
    ends: deque[tuple[datetime, int]]

    @property
    def heard(self) -> datetime:
        """When we heard of it last."""
        return self.ends[-1][0]

    @property
    def a_minute(self) -> float | None:
        """How many rows come in a minute; None while that is not known."""
        (began, first), (now, last) = self.ends[0], self.ends[-1]
        if now - began < _KNOWN:
            return None
        return max(0, last - first) * (timedelta(minutes=1) / (now - began))


@dataclass(slots=True)
class Politeness:
    """How much of its share a replay takes now, by what it hears of live traffic.

    `fixed` in (0, 1] is the run's share of the judge's limits. Instants are the hearer's own, so
    that no other clock has to agree with it.
    """

    fixed: float
    factor: float = field(default=1.0, init=False)
    """The part of the share that may be taken, in [0, 1]."""
    because: str | None = field(default=None, init=False)
    """Why less than all of it is taken: `live_lags`, `live_is_shed`; None while all is."""
    _partitions: dict[int, _Partition] = field(default_factory=dict, init=False)
    _news: bool = field(default=False, init=False)
    _lag: int | None = field(default=None, init=False)
    _grown: int = field(default=0, init=False)
    _shed_at: datetime | None = field(default=None, init=False)
    _troubled_at: datetime | None = field(default=None, init=False)
    _open: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    def __post_init__(self) -> None:
        self._open.set()

    def share(self) -> float:
        """Return the part of the judge's limits that is ours now, in (0, 1].

        It is never nothing: what waits behind `gate` asks nobody, and what was let through before
        has to end.
        """
        return self.fixed * max(self.factor, 1 / STEPS)

    async def gate(self) -> None:
        """Return once a row may begin: a seat's gate."""
        await self._open.wait()

    def hear(self, message: Mark | Tally, now: datetime) -> None:
        """Take in what live traffic says of itself; what is said of a run is passed over."""
        if message.run is not None:
            return
        if isinstance(message, Mark):
            self._hear_mark(message, now)
        elif any(stratum.shed for stratum in message.strata.values()):
            self._shed_at = now

    def turn(self, now: datetime) -> None:
        """Decide anew, a few seconds after the last time."""
        self._partitions = {
            number: one for number, one in self._partitions.items() if now - one.heard <= GONE
        }
        self._watch_growth()
        if trouble := self._trouble(now):
            self.because, self._troubled_at = trouble, now
        self.factor = self._regained(now)
        if self.factor == 1.0:
            self.because = None
        if self.factor > 0:
            self._open.set()
        else:
            self._open.clear()

    def _hear_mark(self, mark: Mark, now: datetime) -> None:
        for number, at in mark.partitions.items():
            known = self._partitions.get(number)
            if known is not None and (at.epoch, mark.at) < (known.epoch, known.at):
                continue
            ends = known.ends if known is not None else deque[tuple[datetime, int]]()
            ends.append((now, at.end))
            while now - ends[0][0] > GONE:
                ends.popleft()
            self._partitions[number] = _Partition(at.epoch, mark.at, max(0, at.end - at.next), ends)
            self._news = True

    def _watch_growth(self) -> None:
        """Count how often in a row the lag has grown: only where something was heard of it."""
        if not self._partitions:
            self._lag, self._grown = None, 0
        elif self._news:
            before, self._lag = self._lag, sum(one.lag for one in self._partitions.values())
            grown = before is not None and self._lag > before
            self._grown = self._grown + 1 if grown else 0
        self._news = False

    def _trouble(self, now: datetime) -> str | None:
        if self._partitions and self._shed_at is not None and now - self._shed_at <= GONE:
            return "live_is_shed"
        minutes = self._minutes()
        growing = self._grown >= GROWING and minutes > SLIGHT
        most = LAG if self.factor == 1.0 else RELIEF
        return "live_lags" if growing or minutes > most else None

    def _minutes(self) -> float:
        """Return how many minutes of its own rows live traffic lags; 0 while nobody can tell."""
        rates = [one.a_minute for one in self._partitions.values()]
        known = [rate for rate in rates if rate is not None]
        if self._lag is None or self._lag <= FEW or len(known) < len(rates):
            return 0.0
        return self._lag / sum(known) if sum(known) else float("inf")

    def _regained(self, now: datetime) -> float:
        """Return the part of the share that is ours again by now."""
        if self._troubled_at is None:
            return 1.0
        steps = (now - self._troubled_at) // STEP
        if steps >= STEPS:
            self._troubled_at = None
        return min(steps, STEPS) / STEPS
