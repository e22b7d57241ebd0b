"""What two sides say of the same rows, scorer by scorer: outcomes, rates, scores, flips. Pure.

A row is drawn once, and by the same draw on both sides: a pair's chance is the smaller of the two.
Rates, their difference, kappa and mean scores weigh each pair by one over its chance (Hájek), so
that they speak of all answers. McNemar's test and all counts take pairs as they are: the test asks
whether these rows flip evenly, and no weight makes that surer.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import NamedTuple

from streams.replay.paired_formulas import (
    Square,
    effective,
    kappa,
    mcnemar,
    rate_change,
    score_change,
    weighted_mean,
)
from streams.replay.pairs import Pair, Speaker
from streams.watch.estimates.changes import Change
from streams.watch.estimates.rates import Z95, Rate, wilson

STATUSES = ("scored", "not_scorable", "invalid_input", "error")

BINS = 21
"""Of the differences of scores: each a tenth wide, the middle one around zero."""


class Scores(NamedTuple):
    """Mean scores of the pairs that are scored on both sides, and their difference."""

    pairs: int
    before: float
    after: float
    change: Change
    histogram: tuple[int, ...]


class Rates(NamedTuple):
    """Rates of bad of the pairs that are rated on both sides, and all that compares them.

    `square` holds counts, `mcnemar` the exact p of its two flips.
    """

    square: Square
    before: Rate
    after: Rate
    change: Change
    mcnemar: float
    kappa: float | None


@dataclass(frozen=True, slots=True)
class ScorerComparison:
    """One scorer's verdicts on both sides. Each figure is None where no pair has what it needs.

    `reused` pairs have a verdict that was published again, and not given anew. `statuses` counts
    pairs by both outcomes. `speakers` are those of the pairs, with how many each gave. `flipped`
    pairs are all there are, the worst first: those that became bad, by how far their score fell.
    """

    scorer: str
    pairs: int = 0
    reused: int = 0
    only_before: int = 0
    only_after: int = 0
    speakers: tuple[Mapping[Speaker, int], Mapping[Speaker, int]] = ({}, {})
    statuses: Mapping[tuple[str, str], int] = field(default_factory=dict)
    rates: Rates | None = None
    scores: Scores | None = None
    flipped: tuple[Pair, ...] = ()

    @property
    def mixed(self) -> tuple[bool, bool]:
        """Whether each side puts several series together."""
        before, after = (len({one.series for one in side}) > 1 for side in self.speakers)
        return before, after


def compared(
    pairs: Iterable[Pair], only_before: Mapping[str, int], only_after: Mapping[str, int]
) -> list[ScorerComparison]:
    """Compare both sides of each scorer, in the order of their names.

    `only_before` and `only_after` count the rows that one side alone has, by scorer.
    """
    by_scorer: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_scorer[pair.after.scorer].append(pair)
    names = sorted({*by_scorer, *only_before, *only_after})
    return [
        _compared(name, by_scorer[name], only_before.get(name, 0), only_after.get(name, 0))
        for name in names
    ]


def _compared(
    scorer: str, pairs: Sequence[Pair], only_before: int, only_after: int
) -> ScorerComparison:
    return ScorerComparison(
        scorer=scorer,
        pairs=len(pairs),
        reused=sum(pair.before.reused or pair.after.reused for pair in pairs),
        only_before=only_before,
        only_after=only_after,
        speakers=(
            Counter(pair.before.speaker for pair in pairs),
            Counter(pair.after.speaker for pair in pairs),
        ),
        statuses=Counter((pair.before.status, pair.after.status) for pair in pairs),
        rates=_rates([p for p in pairs if None not in (p.before.bad, p.after.bad)]),
        scores=_scores([pair for pair in pairs if pair.change is not None]),
        flipped=tuple(sorted((pair for pair in pairs if pair.flipped), key=_how_bad)),
    )


def _how_bad(pair: Pair) -> tuple[bool, float, tuple[int, int]]:
    """Return what orders flips: those to bad by the fall of their score, then the rest by its rise.

    Equal ones stand in the order of their writing.
    """
    return pair.after.bad is False, -abs(pair.change or 0.0), pair.after.place


def _rates(pairs: Sequence[Pair]) -> Rates | None:
    if not pairs:
        return None
    weights = _weights(pairs)
    n = effective(weights)
    counts, shares = _square(pairs, [1] * len(pairs)), _square(pairs, weights).scaled(n)

    def rate(bad: float) -> Rate:
        value = min(1.0, bad / n)
        return Rate(value, *wilson(value, n, z=Z95), len(pairs), n)

    return Rates(
        square=counts,
        before=rate(shares.bad_before),
        after=rate(shares.bad_after),
        change=rate_change(shares),
        mcnemar=mcnemar(int(counts.before), int(counts.after)),
        kappa=kappa(shares),
    )


def _weights(pairs: Sequence[Pair]) -> list[float]:
    """Return what pairs weigh. Only ratios count, so no chance is too small to be divided by."""
    least = min((pair.chance for pair in pairs), default=1.0)
    return [least / pair.chance for pair in pairs]


def _square(pairs: Sequence[Pair], weights: Sequence[float]) -> Square:
    cells: defaultdict[tuple[bool | None, bool | None], list[float]] = defaultdict(list)
    for pair, weight in zip(pairs, weights, strict=True):
        cells[pair.before.bad, pair.after.bad].append(weight)
    order = ((True, True), (True, False), (False, True), (False, False))
    return Square(*(fsum(cells[both]) for both in order))


def _scores(pairs: Sequence[Pair]) -> Scores | None:
    weights = _weights(pairs)
    differences = [pair.change or 0.0 for pair in pairs]
    change = score_change(differences, weights)
    if change is None:
        return None
    before, after = (
        weighted_mean([pair[side].score or 0.0 for pair in pairs], weights) for side in (0, 1)
    )
    bins = Counter(_bin(one) for one in differences)
    histogram = tuple(bins[number] for number in range(BINS))
    return Scores(len(pairs), before, after, change, histogram)


def _bin(difference: float) -> int:
    """Return the bin of a difference, 0 for -1 and 20 for 1; ties go away from the middle."""
    middle = BINS // 2
    steps = int(abs(difference) * middle + 0.5)
    return middle + (steps if difference > 0 else -steps)
