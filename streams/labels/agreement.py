"""How far a judge and people agree: estimates from labels that were picked with known chances.

All answers of a picking stratum have one verdict. So people's shares of bad among the verdicts bad
and among the verdicts good are rates by strata (`streams.watch.estimates.rates`), independent of
each other and of the share of verdicts that are bad. Everything else follows from those three, and
its limits from theirs (`streams.labels.comparison`). Limits are 95 % sure.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import atanh, fsum, sqrt, tanh

from schemas.label import PickStratum, Prediction
from schemas.pane import Cell
from scorers.tallies.spearman import spearman
from streams.labels.comparison import Comparison
from streams.labels.reading import Labelled
from streams.watch.estimates.rates import Z95, Rate, bad_rate, wilson

PASS_AT = 0.5
"""The line that a grade is held against where the scorer has none."""

_BEST = 5
_TOO_FEW = 4
"""Answers of which an order says nothing yet."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """What the labels say of one judge, in one series. An estimate is None where it has no basis.

    `confusion` counts labelled answers by verdict and label. `undecided`: of the answers of which
    the judge could decide nothing, the share that people call bad. `bad`: of those it decided.
    `spearman`: of people's grades and its scores.
    """

    judge: Prediction
    rows: int
    confusion: Mapping[tuple[str, str], int]
    unsure: int
    bad: Rate | None = None
    sensitivity: Rate | None = None
    specificity: Rate | None = None
    kappa: Rate | None = None
    spearman: Rate | None = None
    undecided: Rate | None = None

    @property
    def labelled(self) -> int:
        """How many answers have a label that says something."""
        return sum(self.confusion.values())

    def called(self, label: str) -> int:
        """Return how many answers that the judge decided people called so."""
        return sum(self.confusion.get((verdict, label), 0) for verdict in ("bad", "good"))


def agreements(rows: Iterable[Labelled]) -> list[Agreement]:
    """Return what labels say of each scorer, judge and series."""

    def speaker(row: Labelled) -> tuple[str, str, str, str, str]:
        one = row.verdict
        return (one.scorer.name, one.scorer.version, one.judge.name, one.judge.version, one.series)

    grouped = groupby(sorted(rows, key=speaker), key=speaker)
    return [_agreement(list(group)) for _, group in grouped]


def _agreement(rows: Sequence[Labelled]) -> Agreement:
    said = [(row.verdict.verdict, _word(row)) for row in rows]
    counts = Counter((verdict, word) for verdict, word in said if word in {"bad", "good"})
    found = Agreement(
        judge=rows[0].verdict,
        rows=len(rows),
        confusion=dict(sorted(counts.items())),
        unsure=sum(word == "unsure" for _, word in said),
        spearman=_rank_correlation(rows),
        undecided=_bad_among(rows, "undecided"),
    )
    judged = [row for row in rows if row.verdict.verdict != "undecided"]
    among_bad, among_good = _bad_among(judged, "bad"), _bad_among(judged, "good")
    if not judged or among_bad is None or among_good is None:
        return found
    table = Comparison(_share(judged, "bad"), among_bad, among_good)
    return replace(
        found,
        bad=_sized(table.bad(), judged, lambda word: True),
        sensitivity=_sized(table.sensitivity(), judged, lambda word: word == "bad"),
        specificity=_sized(table.specificity(), judged, lambda word: word == "good"),
        kappa=_sized(table.kappa(), judged, lambda word: True),
    )


def _word(row: Labelled) -> str | None:
    """Return a label as a word; a grade is bad where a score as low would be."""
    label = row.label
    if not isinstance(label, int):
        return label
    line = row.verdict.pass_at
    return "bad" if _scaled(label) < (PASS_AT if line is None else line) else "good"


def _scaled(grade: int) -> float:
    return (grade - 1) / (_BEST - 1)


def _weight(row: Labelled) -> float:
    return 1 / row.verdict.probability


def _kish(weights: Sequence[float]) -> float:
    """Return how many equal rows weighted ones are worth."""
    squares = fsum(weight * weight for weight in weights)
    return fsum(weights) ** 2 / squares if squares else 0.0


def _bad_among(rows: Sequence[Labelled], verdict: str) -> Rate | None:
    """Return the share that people call bad of the answers with a verdict; None without labels."""
    strata: defaultdict[str, dict[float, Cell]] = defaultdict(dict)
    for row in rows:
        one, word = row.verdict, _word(row)
        if one.verdict == verdict and word in {"bad", "good"}:
            cells = strata[_key(one.stratum)]
            cell = Cell(1, 1, int(word == "bad"))
            cells[one.probability] = cells.get(one.probability, Cell()) + cell
    known = _strata(row for row in rows if row.verdict.verdict == verdict)
    return bad_rate(strata, {name: stratum.answers for name, stratum in known.items()})


def _strata(rows: Iterable[Labelled]) -> dict[str, PickStratum]:
    """Return the strata that rows come from, all of their answers included."""
    return {_key(row.verdict.stratum): row.verdict.stratum for row in rows}


def _key(stratum: PickStratum) -> str:
    """Return what tells a stratum from those of other picks in the same file."""
    return f"{stratum.name} {stratum.answers} {stratum.picked}"


def _share(rows: Sequence[Labelled], verdict: str) -> Rate:
    """Return the share of a verdict among all that were given."""
    every = _strata(rows).values()
    those = _strata(row for row in rows if row.verdict.verdict == verdict).values()
    total = fsum(stratum.answers for stratum in every)
    value = min(1.0, fsum(stratum.answers for stratum in those) / total)
    n_eff = total * total / fsum(stratum.squares for stratum in every)
    return Rate(value, *wilson(value, n_eff, z=Z95), len(rows), n_eff)


def _sized(
    rate: Rate | None, rows: Sequence[Labelled], counts: Callable[[str], bool]
) -> Rate | None:
    """Return an estimate with the labelled answers that are behind it."""
    words = [(row, _word(row)) for row in rows]
    behind = [_weight(row) for row, word in words if word in {"bad", "good"} and counts(word)]
    if rate is None or not behind:
        return None
    return replace(rate, n=len(behind), n_eff=_kish(behind))


def _rank_correlation(rows: Sequence[Labelled]) -> Rate | None:
    """Return Spearman's rho of people's grades and the judge's scores, None where it has none.

    Its limits are those of Bonett and Wright (2000), on Kish's effective n.
    """
    pairs = [
        (row.label, row.verdict.score, _weight(row))
        for row in rows
        if isinstance(row.label, int) and row.verdict.score is not None
    ]
    if not pairs:
        return None
    grades, scores, weights = (list(side) for side in zip(*pairs, strict=True))
    rho = spearman(grades, scores, weights)
    if rho is None:
        return None
    n_eff = _kish(weights)
    return Rate(rho, *_bonett_wright(rho, n_eff), len(pairs), n_eff)


def _bonett_wright(rho: float, n: float) -> tuple[float, float]:
    if n <= _TOO_FEW:
        return -1.0, 1.0
    most = 1 - 1 / (2 * n)  # a perfect order of a few is no proof of one among all
    centre = atanh(max(-most, min(most, rho)))
    half = Z95 * sqrt((1 + rho * rho / 2) / (n - 3))
    return min(rho, tanh(centre - half)), max(rho, tanh(centre + half))
