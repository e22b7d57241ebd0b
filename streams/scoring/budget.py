"""What budgets and a backlog leave of the sampling probabilities, minute by minute. Pure.

    rows drawn as configured, a minute ---+
    verdicts that a budget affords -------+-> one factor -> shared out between assistants
    rows that came, rows worked off ------+

What was drawn and spent up to now decides the next minute alone, never the rows that it is applied
to. So every row's probability is known before its draw, and weights stay right.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from schemas.score import Usage
from streams.ports import Progress
from streams.scoring.allowance import EPOCH, Allowance
from streams.scoring.backlog import Backlog
from streams.scoring.factors import LEAST, Factors, shared_out

INTERVAL = timedelta(minutes=1)
"""How long probabilities stay as they are. Only the first interval is shorter: one beat."""

START = 0.125
"""The part that is judged with a budget until it is known what a verdict costs."""

_RISE = 1.5
"""By how much a minute may raise what a budget leaves."""

_NEWEST = 0.5
"""What the last minute weighs in the demand of an assistant."""

_NOTHING = 1e-3
"""Verdicts a minute below which an assistant is forgotten."""


@dataclass(slots=True)
class Budget:
    """One process's control of what it draws. Holds no clock: `began` is when its work began.

    `factor` is what was left at the last turn of all that the settings would draw, `affordable`
    the part of it that budgets allow; `factors` are in force until the next one.
    """

    began: datetime
    allowances: Sequence[Allowance] = ()
    backlog: Backlog = field(default_factory=Backlog)
    affordable: float = field(init=False)
    factor: float = field(init=False)
    factors: Factors = field(init=False)
    _turned: datetime = field(init=False)
    _turns: int = field(default=0, init=False)
    _answered: int = field(default=0, init=False)
    _fresh: dict[str, float] = field(default_factory=dict, init=False)
    _demand: dict[str, float] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.affordable = self.factor = START if self.allowances else 1.0
        self.factors = shared_out({}, self.factor)
        self._turned = self.began

    def want(self, assistant: str, verdicts: float) -> None:
        """Note rows: how many verdicts they would have come to by the settings' probabilities."""
        self._fresh[assistant] = self._fresh.get(assistant, 0.0) + verdicts

    def spend(self, usage: Usage) -> None:
        """Note a verdict, and what it cost."""
        self._answered += 1
        for allowance in self.allowances:
            allowance.spend(usage)

    def due(self, now: datetime) -> bool:
        """Say whether the interval is over: minutes are those of the clock."""
        if not self._turns:
            return now > self._turned
        return (now - EPOCH) // INTERVAL > (self._turned - EPOCH) // INTERVAL

    def turn(self, now: datetime, *, share: float, progress: Mapping[int, Progress]) -> Factors:
        """End the interval, and return the factors of the next one. `now` is past the last turn.

        `share` in (0, 1] is this process's part of the group, `progress` where its partitions are.
        """
        minutes = (now - self._turned) / timedelta(minutes=1)
        self._learn(minutes)
        self.affordable = self._afford(now, share)
        keeps_up = self.backlog.turn(progress, minutes=minutes, answered=self._answered)
        self.factor = min(self.affordable, keeps_up)
        self.factors = shared_out(self._demand, self.factor)
        self._turned, self._answered = now, 0
        self._turns += 1
        return self.factors

    def _learn(self, minutes: float) -> None:
        """Bring the demand of each assistant up to date, in verdicts a minute."""
        newest = _NEWEST if self._turns else 1.0
        for name in self._fresh.keys() | self._demand.keys():
            known = self._demand.get(name, 0.0)
            fresh = self._fresh.get(name, 0.0) / minutes
            self._demand[name] = known + newest * (fresh - known)
            if self._demand[name] < _NOTHING:
                del self._demand[name]
        self._fresh.clear()

    def _afford(self, now: datetime, share: float) -> float:
        """Return the part of the demand that all budgets leave; what it was, while unknown."""
        if not self.allowances:
            return 1.0
        turned = [allowance.turn(now, share) for allowance in self.allowances]
        known = [verdicts for verdicts in turned if verdicts is not None]
        wanted = sum(self._demand.values())
        if not known or not wanted:
            return self.affordable
        return max(LEAST, min(1.0, min(known) / wanted, self.affordable * _RISE))
