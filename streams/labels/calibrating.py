"""From agreement with people to the file that the watch half corrects its rates by."""

from collections.abc import Iterator, Mapping, Sequence

from schemas.calibration import Calibrated, Calibration, Share
from streams.labels.agreement import Agreement
from streams.watch.estimates.correction import Accuracy
from streams.watch.estimates.rates import Rate

NEEDED = 30
"""Labelled answers of each kind (bad, good) without which a judge is not calibrated."""


def calibrated(found: Sequence[Agreement]) -> list[Calibrated]:
    """Return the judges of which enough answers were labelled."""
    return [
        Calibrated(
            scorer=one.judge.scorer,
            judge=one.judge.judge,
            series=one.judge.series,
            pass_at=one.judge.pass_at,
            sensitivity=_share(one.sensitivity),
            specificity=_share(one.specificity),
        )
        for one in found
        if one.sensitivity and one.specificity and not _lacking(one)
    ]


def refusals(found: Sequence[Agreement]) -> Iterator[str]:
    """Say of which judges too little is labelled, and how much more is needed."""
    for one in found:
        if lacking := _lacking(one):
            who = f"{one.judge.scorer.name} by {one.judge.judge.name} {one.judge.judge.version}"
            more = " and ".join(f"{number} more that are {word}" for word, number in lacking)
            yield f"{who}: too few labels: {NEEDED} of each are needed, label {more}"


def _lacking(one: Agreement) -> list[tuple[str, int]]:
    """Return how many more answers are needed of each label, none where there are enough."""
    missing = ((word, NEEDED - one.called(word)) for word in ("bad", "good"))
    return [(word, number) for word, number in missing if number > 0]


def accuracies(made: Calibration, pass_at: Mapping[str, float]) -> dict[str, Accuracy]:
    """Return how accurate the judge of each series is, as far as a calibration still holds.

    `pass_at` is today's line of each scorer: with another line other answers are bad.
    """
    return {
        one.series: Accuracy(_rate(one.sensitivity), _rate(one.specificity))
        for one in made.judges
        if _holds(one, pass_at)
    }


def outdated(made: Calibration, pass_at: Mapping[str, float]) -> list[Calibrated]:
    """Return the judges that were calibrated when another score was good enough."""
    return [one for one in made.judges if not _holds(one, pass_at)]


def _holds(one: Calibrated, pass_at: Mapping[str, float]) -> bool:
    return one.pass_at == pass_at.get(one.scorer.name)


def _share(rate: Rate) -> Share:
    return Share(value=rate.value, lower=rate.lower, upper=rate.upper, n=rate.n, n_eff=rate.n_eff)


def _rate(share: Share) -> Rate:
    return Rate(share.value, share.lower, share.upper, share.n, share.n_eff)
