"""Lowering what is drawn where money or time are short: the budget, at work on one process."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple, Protocol

import structlog

from schemas.rejection import Rejection
from schemas.score import Usage
from streams.ports import Growing, Source
from streams.scoring.budget import Budget
from streams.scoring.draws import Draws
from streams.scoring.factors import UNCHANGED
from streams.scoring.sampling import Sampler
from streams.scoring.share import share_of
from streams.scoring.tallying import Tallying

log = structlog.get_logger()

LOW, WELL = 0.1, 0.2
"""Somebody is told when a probability falls under a tenth of its setting; it is over at a fifth."""


Facts = dict[str, str | float]


class _Warning(NamedTuple):
    """What a person should know while it is so, and is told once."""

    about: str
    event: str
    facts: Facts


class Throttle(Protocol):
    """Hears of every row and every verdict, and lowers the probabilities of the rows to come."""

    def count(self, draws: Draws) -> None:
        """Note a batch of rows as it was drawn."""
        ...

    def spend(self, usage: Usage) -> None:
        """Note what a verdict cost."""
        ...

    def beat(self, now: datetime) -> None:
        """End the interval if it is over: between two batches, never within one."""
        ...

    @property
    def kept(self) -> float:
        """The least part that is in force of any probability of the settings, in (0, 1]."""
        ...

    @property
    def used(self) -> Mapping[str, float]:
        """The part of this process's share of each budget that is used up; above 1 if overspent."""
        ...


class Unthrottled:
    """Draws everything as the settings have it."""

    kept = 1.0
    used: Mapping[str, float] = MappingProxyType({})

    def count(self, draws: Draws) -> None:
        """Pass over."""

    def spend(self, usage: Usage) -> None:
        """Pass over."""

    def beat(self, now: datetime) -> None:
        """Pass over."""


@dataclass(slots=True)
class Throttled:
    """Applies a budget: blocks end with the probabilities that their rows were drawn with."""

    budget: Budget
    sampler: Sampler
    tallying: Tallying
    source: Source
    _told: set[str] = field(default_factory=set)
    _weights: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sampler.lower(self.budget.factors)

    def count(self, draws: Draws) -> None:
        """Note a batch of rows as it was drawn."""
        for cell, rows in draws.passed.items():
            self.budget.want(cell.assistant, rows * self._weight(cell.stratum))
        for fate in draws.others.values():
            if not isinstance(fate, Rejection):
                self.budget.want(fate.assistant, self._weight(fate.stratum))

    def spend(self, usage: Usage) -> None:
        """Note what a verdict cost."""
        self.budget.spend(usage)

    def beat(self, now: datetime) -> None:
        """End the interval if it is over, and tell of what a person should know."""
        if not self.budget.due(now):
            return
        before, source = self.budget.factors, self.source
        if isinstance(source, Growing):
            source.look()  # where judges are slow nothing is read, and the end would seem to stand
        after = self.budget.turn(now, share=share_of(source), progress=source.progress())
        if after != before:
            self.tallying.cut()
            self.sampler.lower(after)
            if UNCHANGED in (before, after):
                log.info("probability_lowered", part=round(self.budget.factor, 4))
        self._tell()

    @property
    def kept(self) -> float:
        """The least part of any probability that is in force."""
        return self.budget.factors.least

    @property
    def used(self) -> Mapping[str, float]:
        """The part of this process's share of each budget that was used up at the last beat."""
        return {one.name: one.used for one in self.budget.allowances}

    def _weight(self, stratum: str) -> float:
        """Return how many verdicts a row of a stratum comes to by the settings, on average."""
        if stratum not in self._weights:
            self._weights[stratum] = sum(self.sampler.chances(stratum).values())
        return self._weights[stratum]

    def _tell(self) -> None:
        """Warn of what has become so since the last turn."""
        now = {warning.about: warning for warning in self._warnings()}
        for about in now.keys() - self._told:
            log.warning(now[about].event, **now[about].facts)
        self._told = set(now)

    def _warnings(self) -> Iterator[_Warning]:
        budget = self.budget
        for one in budget.allowances:
            if one.nearly_used:
                facts: Facts = {"budget": f"judge.budget.{one.name}", "of": one.amount}
                facts |= {"used": round(one.used, 3), "way_out": "raise it, or sample less"}
                yield _Warning(one.name, "budget_nearly_used", facts)
        least = budget.factors.least
        if least < (WELL if "low" in self._told else LOW):
            behind = budget.backlog.factor < budget.affordable
            facts = {"least_part_of_the_setting": round(least, 6)}
            facts["because"] = "backlog" if behind else "budget"
            facts["lag_minutes"] = round(budget.backlog.lag, 1)
            facts["way_out"] = "another worker" if behind else "raise judge.budget, or sample less"
            yield _Warning("low", "probability_under_a_tenth", facts)
