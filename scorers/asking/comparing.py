"""Comparing two answers to one question: what is asked, and what comparisons add up to."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from pydantic import JsonValue

from schemas.score import Breakdown, NotScorable, Scored
from scorers.answers import Agreement, Comparison
from scorers.asking.reading import a_number, an_explanation, an_object
from scorers.contract import InvalidReplyError
from scorers.questions import CompareAnswers, Question

LABELS: tuple[Agreement, ...] = get_args(Agreement)
"""From the best to the worst."""

MIDDLE = 0.5
"""The score that a label of full agreement, or of contradiction, should be on the right side of."""

_SEPARATORS = str.maketrans("", "", " \t\n-_")
_BY_NAME: Mapping[str, Agreement] = {label.translate(_SEPARATORS): label for label in LABELS}


@dataclass(frozen=True, slots=True)
class Compared:
    """A fresh answer and how it compares with the base. `error` is why there is no comparison."""

    other: str
    comparison: Comparison | None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Scale:
    """The bounds that a mean is shown between, and whether more of it is worse."""

    least: float = 0.0
    most: float = 1.0
    inverted: bool = False

    def normalized(self, score: float) -> float:
        """Return the score's place between the bounds, in [0, 1]; outside them it is at an end."""
        place = min(1.0, max(0.0, (score - self.least) / (self.most - self.least)))
        return 1.0 - place if self.inverted else place


def compare(about: CompareAnswers, *, row: str) -> Question[Comparison]:
    """Ask how far two answers agree. The score is never made of the label."""

    def read(reply: object) -> Comparison:
        fields = an_object(reply)
        return Comparison(
            label=_label(fields.get("label")),
            score=a_number(fields.get("score"), "score", least=0, most=1),
            explanation=an_explanation(fields, "explanation"),
        )

    return Question(about=about, read=read, row=row)


def _label(value: object) -> Agreement:
    name = value.lower().translate(_SEPARATORS) if isinstance(value, str) else ""
    if name not in _BY_NAME:
        raise InvalidReplyError("label must be Consistent, Slightly Inconsistent or Contradictory")
    return _BY_NAME[name]


def tally(
    compared: Sequence[Compared], *, scale: Scale, about: Mapping[str, JsonValue]
) -> Scored | NotScorable:
    """Return the mean of the comparisons that were judged. At least one must have been.

    `about` says how the fresh answers were got, and goes into the breakdown as it is.
    """
    judged = [one.comparison for one in compared if one.comparison is not None]
    scores = [comparison.score for comparison in judged if comparison.score is not None]
    labels: Counter[Agreement] = Counter(c.label for c in judged if c.label is not None)
    failed = len(compared) - len(judged)
    breakdown: Breakdown = {
        "comparisons": len(compared),
        "judged": len(judged),
        "failed": failed,
        "partial": failed > 0,
        "scores": list(scores),
        "labels": {label: labels[label] for label in LABELS},
        "claims": [_row(one) for one in compared],
        **about,
    }
    if not scores or not labels:
        return NotScorable(reason="undecided", breakdown=breakdown)
    mean = sum(scores) / len(scores)
    return Scored(
        score=mean,
        normalized=scale.normalized(mean),
        label=[label for label in LABELS if labels[label]][-1],
        counts={"judged": len(judged), "failed": failed, **{x: labels[x] for x in LABELS}},
        flags=_flags(judged, failed=failed),
        breakdown=breakdown,
    )


def contradicts_itself(comparison: Comparison) -> bool:
    """Say whether label and score point in opposite directions. It is told, and changes neither."""
    if comparison.score is None:
        return False
    if comparison.label == "consistent":
        return comparison.score < MIDDLE
    return comparison.label == "contradictory" and comparison.score > MIDDLE


def _flags(judged: Sequence[Comparison], *, failed: int) -> tuple[str, ...]:
    holds = {"label_mismatch": any(map(contradicts_itself, judged)), "partial": failed > 0}
    return tuple(flag for flag, raised in holds.items() if raised)


def _row(one: Compared) -> dict[str, JsonValue]:
    if one.comparison is None:
        return {"text": one.other, "verdict": None, "error": one.error}
    return {
        "text": one.other,
        "verdict": one.comparison.label or "undecided",
        "score": one.comparison.score,
        "reason": one.comparison.explanation,
        "flags": ["label_mismatch"] if contradicts_itself(one.comparison) else [],
    }
