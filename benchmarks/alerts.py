"""How often the rules that are on by default cry wolf, and how soon they see a real change.

    python benchmarks/alerts.py [--days 400] [--shifts 60] [--others]

Fixed seeds. An assistant's answers are bad with a probability of 5 %, and come at random at 60, 300
and 1,200 scored rows an hour; the bound is 10 %. Minute panes are handed to the real evaluation
(rules, alarms, ageing), as the fold would have filled them. For the delays the share jumps to 15 %
or 30 %; they are minutes of event time plus the two that the watermark waits. Beside them stands
the rule that everybody writes first: more than 10 % bad in the last 5 minutes, on the same rows,
with no waiting at all. Single figures of the last line that name no volume are those of 300.

`--others` measures kinds that are not on by default as well, one by one, after a day of warm-up.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from statistics import median

import numpy as np
from numpy.typing import NDArray

from schemas.pane import Cell, Flow
from streams.settings.alert_rules import DEFAULT_RULES
from streams.watch.alerts.alarm import Alarm, Patience, step
from streams.watch.alerts.assessments import Assessments
from streams.watch.alerts.evaluation import Evaluator
from streams.watch.marks import ALLOWANCE, Clock
from streams.watch.panes.filing import Filing
from streams.watch.panes.ledger import LedgerPane
from streams.watch.panes.pane import DAY, MINUTE, Family, PaneKey, ScorePane
from streams.watch.panes.shelf import Shelf
from streams.watch.progression import DELAY, Progression
from streams.watch.rules.burn_rate import BurnRateRule
from streams.watch.rules.cusum import CusumRule
from streams.watch.rules.kinds import Rule
from streams.watch.rules.regression import RegressionRule
from streams.watch.rules.result import Signal
from streams.watch.tables import Tables

VOLUMES, MIDDLE = (60, 300, 1200), 300
USUAL, BOUND, SHIFTS = 0.05, 0.10, (0.15, 0.30)
PROBABILITY, LATENESS, MIDNIGHT = 0.05, 5 * MINUTE, 20_000 * DAY
DAYS_AT_ONCE, WARM_UP, WATCHED = 20, 3 * 60, 12 * 60
MINUTES_A_DAY = DAY // MINUTE
ASSISTANT, SCORER = "shop/production", "faithfulness"
SERIES, BOOKS = Family(ASSISTANT, SCORER, "s1"), Family(ASSISTANT)
SEED = 7
LAST, AT_ONCE = 5, Patience()

OTHERS: tuple[Rule, ...] = (
    RegressionRule(name="worse-than-usual", kind="regression", scorer=SCORER),
    BurnRateRule(name="burns-too-fast", kind="burn_rate", scorer=SCORER),
    CusumRule.model_validate(
        {"name": "drift", "kind": "cusum", "scorer": SCORER, "from": 0.05, "to": 0.15}
    ),
)

Counts = NDArray[np.int64]


@dataclass(slots=True)
class Day:
    """The watch half without records: minutes go in as panes, alerts come out."""

    rules: Sequence[Rule]
    tables: Tables = field(default_factory=Tables)
    clock: Clock = field(default_factory=Clock)
    minute: int = MIDNIGHT
    offset: int = 0
    scores: Shelf[ScorePane] = field(init=False)
    ledgers: Shelf[LedgerPane] = field(init=False)
    passage: Progression = field(init=False)

    def __post_init__(self) -> None:
        tables = self.tables
        self.scores, self.ledgers = Shelf(tables.scores), Shelf(tables.ledgers)
        readings = Assessments(self.scores, self.ledgers, tables.alarms, tables.episodes)
        evaluation = Evaluator(self.rules, readings, tables.alarms, tables.episodes)
        filing = Filing(self.scores, self.ledgers, segments=(), max_panes=10**9)
        self.passage = Progression(self.scores, self.ledgers, filing, evaluation, LATENESS)

    def after(self, rated: int, bad: int) -> list[str]:
        """Let a minute pass with its answers, and return the rules that began to fire."""
        if rated:
            self.offset += 1
            cell = Cell(rated, rated, bad, (rated - bad) * 10**6, (rated - bad) * 10**12)
            pane = ScorePane(
                last=self.offset,
                strata={"base": {PROBABILITY: cell}},
                outcomes={"scored": rated},
            )
            seen = Flow(round(rated / PROBABILITY), 0, {SCORER: rated})
            self.scores.put(PaneKey(SERIES, self.minute, MINUTE), pane)
            ledger = LedgerPane(last=self.offset, flows={"base": seen})
            self.ledgers.put(PaneKey(BOOKS, self.minute, MINUTE), ledger)
        self.minute += MINUTE
        self.clock, alerts, _ = self.passage.live(
            replace(self.clock, watermark=self.minute + DELAY)
        )
        return [a.rule for a in alerts if a.status == "firing" and a.starts_at == a.evaluated_at]


def answers(rng: np.random.Generator, volume: int, shares: NDArray[np.float64]) -> Iterator[Counts]:
    """Return the rated answers of each minute, and the bad ones among them."""
    rated = rng.poisson(volume / 60, len(shares))
    yield rated
    yield rng.binomial(rated, shares)


def naive(rated: Counts, bad: Counts) -> list[int]:
    """Return the minutes in which the naive rule begins to fire.

    It has the same alarm as ours, with its cooldown, and no patience.
    """
    sums = [np.convolve(column, np.ones(LAST))[: len(column)] for column in (rated, bad)]
    alarm, begun = Alarm(), []
    for minute, raised in enumerate((sums[1] > BOUND * sums[0]).tolist()):
        signal = Signal.RAISED if raised else Signal.CALM
        at = MIDNIGHT + minute * MINUTE
        alarm, status = step(alarm, signal, at=at, series="", patience=AT_ONCE)
        begun += [minute] if status == "firing" else []
    return begun


def quiet(task: tuple[tuple[Rule, ...], int, int, int]) -> tuple[Counter[str], int]:
    """Return the false episodes by rule in some days without any change, and the naive rule's."""
    rules, volume, days, seed = task
    warm_up = 0 if rules == DEFAULT_RULES else MINUTES_A_DAY
    shares = np.full(days * MINUTES_A_DAY + warm_up, USUAL)
    rated, bad = answers(np.random.default_rng((SEED, volume, seed)), volume, shares)
    day = Day(rules)
    found: Counter[str] = Counter()
    for minute, (n, b) in enumerate(zip(rated.tolist(), bad.tolist(), strict=True)):
        fired = day.after(n, b)
        found.update(fired if minute >= warm_up else ())
    return found, len(naive(rated, bad))


def shift(task: tuple[tuple[Rule, ...], int, float, int]) -> tuple[float | None, float | None]:
    """Return the minutes from a change to an alert, and to the naive rule's; None: never.

    A stream in which something fires before the change is drawn again.
    """
    rules, volume, share, seed = task
    calm = WARM_UP if rules == DEFAULT_RULES else MINUTES_A_DAY
    shares = np.r_[np.full(calm, USUAL), np.full(WATCHED, share)]
    for again in range(100):
        rng = np.random.default_rng((SEED, volume, round(100 * share), seed, again))
        rated, bad = answers(rng, volume, shares)
        day, delay = Day(rules), None
        for minute, (n, b) in enumerate(zip(rated.tolist(), bad.tolist(), strict=True), start=1):
            if day.after(n, b):
                delay = minute - calm
                break
        if delay is None or delay > 0:
            waited = (ALLOWANCE + DELAY) // MINUTE
            begun = naive(rated[calm - LAST :], bad[calm - LAST :])
            first = next((at - LAST + 1 for at in begun if at >= LAST), None)
            return (None if delay is None else delay + waited), first
    raise RuntimeError("every stream fires before it changes")


@dataclass(frozen=True, slots=True)
class Result:
    """What some rules did at one volume: false episodes and naive ones a day, median delays."""

    false: dict[str, float]
    naive: float
    delays: dict[float, float]
    naive_delays: dict[float, float]


def measured(
    pool: ProcessPoolExecutor, rules: tuple[Rule, ...], volume: int, *, days: int, shifts: int
) -> Result:
    """Run a volume: days without a change, then many streams with one."""
    parts = [(rules, volume, DAYS_AT_ONCE, part) for part in range(-(-days // DAYS_AT_ONCE))]
    run = len(parts) * DAYS_AT_ONCE
    found, edges = Counter[str](), 0
    for one, crossings in pool.map(quiet, parts):
        found, edges = found + one, edges + crossings
    delays, naive_delays = {}, {}
    for share in SHIFTS:
        tasks = [(rules, volume, share, seed) for seed in range(shifts)]
        both = list(pool.map(shift, tasks, chunksize=10))
        never = float("inf")
        delays[share] = median(never if one is None else one for one, _ in both)
        naive_delays[share] = median(never if one is None else one for _, one in both)
    false = {rule.name: found[rule.name] / run for rule in rules}
    return Result(false, edges / run, delays, naive_delays)


def show(volume: int, name: str, false: float, delays: dict[float, float]) -> None:
    """Print a line of the table."""
    at = "".join(f"{delays[share]:>8.0f}" for share in SHIFTS) if delays else ""
    print(f"{volume:>6}  {name:<34}{false:>10.4f}{at}", flush=True)


def main() -> None:
    """Print the table, and the figures as one JSON object."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--days", type=int, default=400)
    parser.add_argument("--shifts", type=int, default=60)
    parser.add_argument("--others", action="store_true")
    asked = parser.parse_args()
    print(f"{'an hour':<8}{'rule':<34}{'false/day':>10}" + "".join(f"{s:>8.0%}" for s in SHIFTS))
    figures: dict[str, float] = {}
    with ProcessPoolExecutor() as pool:
        for volume in VOLUMES:
            result = measured(pool, DEFAULT_RULES, volume, days=asked.days, shifts=asked.shifts)
            together = sum(result.false.values())
            for name, false in result.false.items():
                show(volume, name, false, {})
            show(volume, "the default rules together", together, result.delays)
            show(volume, "naive: 5 min above 10 %", result.naive, result.naive_delays)
            figures[f"false_per_day_{volume}"] = round(together, 4)
            if volume == MIDDLE:
                figures |= {
                    f"delay_min_{round(100 * share)}": delay
                    for share, delay in result.delays.items()
                }
                figures["naive_false_per_day"] = round(result.naive, 4)
            for rule in OTHERS if asked.others else ():
                one = measured(pool, (rule,), volume, days=asked.days, shifts=asked.shifts)
                show(volume, f"{rule.kind}: {rule.name}", one.false[rule.name], one.delays)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
