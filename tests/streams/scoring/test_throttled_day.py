"""A day that may cost a tenth of what its rows would, with known truth in every hour."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

import pytest

from schemas.score import Outcome, Scored, ScoreEvent
from schemas.tally import Tally
from schemas.trace import RagTrace
from tests.fakes import ListSink
from tests.streams.scoring.throttled import BUSY, MIDNIGHT, MINUTE, Worker, a_row

QUIET = "bank/production"


@dataclass
class Day:
    """A day of rows: few at night, many by day, with a truth that is another in every hour."""

    rows: int
    bad: Counter[int] = field(default_factory=Counter)
    all: Counter[int] = field(default_factory=Counter)

    def minutes(self, seed: int = 7) -> Iterator[list[RagTrace]]:
        chance, number = Random(seed), 0
        for minute in range(1440):
            hour, at = minute // 60, MIDNIGHT + minute * MINUTE
            swing = 1 - 0.6 * math.cos(2 * math.pi * minute / 1440)
            found = []
            for _ in range(round(self.rows / 1440 * swing * chance.uniform(0.7, 1.3))):
                number += 1
                bad = chance.random() < 0.1 + 0.2 * (hour % 3) / 2
                self.bad[hour] += bad
                self.all[hour] += 1
                assistant = QUIET if chance.random() < 0.03 else BUSY
                found.append(a_row(number, at=at, assistant=assistant, bad=bad))
            yield found


def hajek(events: Sequence[ScoreEvent]) -> tuple[float, float]:
    """Return the weighted share of bad answers, and its standard error (linearised)."""
    pairs = [(1 / e.sampling.probability, _bad(e.outcome)) for e in events]
    weight = sum(w for w, _ in pairs)
    rate = sum(w * bad for w, bad in pairs) / weight
    variance = sum(w * (w - 1) * (bad - rate) ** 2 for w, bad in pairs) / weight**2
    return rate, math.sqrt(variance)


def _bad(outcome: Outcome) -> bool:
    assert isinstance(outcome, Scored)
    return outcome.bad


async def a_day_with_a_tenth_of_what_it_would_cost() -> tuple[Worker, Day, float]:
    day = Day(40_000)
    rows = list(day.minutes())
    budget = 0.1 * 0.012 * sum(map(len, rows))
    worker = Worker(cost_per_day=budget)
    for minute in rows:
        await worker.minute(minute)
    await worker.half.settle(worker.now, everything=True)
    return worker, day, budget


async def test_a_day_costs_its_budget_and_every_hour_is_still_known() -> None:
    worker, day, budget = await a_day_with_a_tenth_of_what_it_would_cost()

    cost = sum(event.usage.cost_usd or 0.0 for event in worker.sink.scores)
    assert cost == pytest.approx(budget, rel=0.03)

    assert min(_probabilities(worker.sink.tallies)) > 0
    by_hour = defaultdict(list)
    for event in worker.sink.scores:
        by_hour[event.trace.answered_at.hour].append(event)
    for hour in range(24):
        rate, error = hajek(by_hour[hour])
        assert abs(rate - day.bad[hour] / day.all[hour]) <= 3 * error, hour

    strata = [stratum for tally in worker.sink.tallies for stratum in tally.strata.values()]
    seen, shed = sum(s.seen for s in strata), sum(s.shed for s in strata)
    sampled = sum(s.scorers["plain"].sampled for s in strata)
    assert seen == sum(day.all.values()) == shed + sampled  # with a probability of 1, nothing else
    assert sampled == len(worker.sink.scores)

    _every_event_has_the_probability_of_its_tally(worker.sink)
    quiet = [e for e in worker.sink.scores if e.assistant == QUIET]
    assert len(quiet) > 0.9 * sum(
        s.seen for t in worker.sink.tallies if t.assistant == QUIET for s in t.strata.values()
    )


def _probabilities(tallies: Sequence[Tally]) -> list[float]:
    return [s.scorers["plain"].probability for t in tallies for s in t.strata.values()]


def _every_event_has_the_probability_of_its_tally(sink: ListSink) -> None:
    blocks = {
        (tally.assistant, name, offset): stratum.scorers["plain"].probability
        for tally in sink.tallies
        for name, stratum in tally.strata.items()
        for offset in range(tally.source.from_, tally.source.to)
    }
    for event in sink.scores:
        place = (event.assistant, event.sampling.stratum, event.origin.offset)
        assert blocks[place] == event.sampling.probability
