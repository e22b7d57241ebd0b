"""From probabilities to verdicts: what is not likely enough is undecided, and not a guess."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from scorers.answers import (
    AccuracyVerdict,
    Agreement,
    Chosen,
    Comparison,
    Contradiction,
    Grade,
    GradedClaim,
)
from scorers.asking.comparing import LABELS
from scorers.contract import Judgement, Statement, Verdict
from scorers.judges.typed import YES, Refused, Told, TypedAnswer
from scorers.tallies.grade_rules import LEAST
from scorers.tallies.grade_rules import VERDICTS as ACCURACY_VERDICTS

NAME = "decisions"

_CLOSE = 1e-9
W = TypeVar("W", bound=str)


@dataclass(frozen=True, slots=True)
class DecideAt:
    """The probabilities from which an answer is taken, by the type of its question."""

    choice: float = 0.8
    yes_no: float = 0.8
    score: float = 0.5
    least_mass: float = 0.5


@dataclass(frozen=True, slots=True)
class Heard:
    """What was told of one question, in one or both orders of its options."""

    answers: tuple[TypedAnswer, ...]

    def silence(self, least_mass: float) -> str | None:
        """Return why nothing can be taken from it, as a flag; None where something can."""
        if any(isinstance(answer, Refused) for answer in self.answers):
            return "refused"
        masses = [a.mass for a in self.answers if isinstance(a, Told) and a.mass is not None]
        return "low_mass" if any(mass < least_mass for mass in masses) else None

    @property
    def probabilities(self) -> Mapping[str, float]:
        """The mean over the orders; nothing where one was refused."""
        told = [answer.probabilities for answer in self.answers if isinstance(answer, Told)]
        if len(told) < len(self.answers):
            return {}
        return {name: sum(one[name] for one in told) / len(told) for name in told[0]}


def _least(p: float, bound: float) -> bool:
    return p >= bound - _CLOSE


def claim(heard: Heard, at: DecideAt) -> Judgement:
    """Judge a claim that was asked as supported, contradicted or not stated."""
    silent = heard.silence(at.least_mass)
    if silent:
        return _undecided(heard, silent, support=None)
    verdicts = {_claim_verdict(a.probabilities, at) for a in heard.answers if isinstance(a, Told)}
    support = heard.probabilities["supported"]
    if len(verdicts) > 1:
        return _undecided(heard, "order", support=support)
    return _judged(_claim_verdict(heard.probabilities, at), heard, support)


def _claim_verdict(p: Mapping[str, float], at: DecideAt) -> Verdict:
    if _least(p["supported"], at.choice):
        return "yes"
    if _least(p["contradicted"], at.choice):
        return "no"
    return "unsure" if _least(p["contradicted"] + p["not_stated"], at.choice) else "undecided"


def sentence(heard: Heard, at: DecideAt, *, threshold: float = 0.0) -> Judgement:
    """Judge a sentence that was asked with yes or no; a yes needs the threshold too."""
    silent = heard.silence(at.least_mass)
    if silent:
        return _undecided(heard, silent, support=None)
    p = heard.probabilities[YES]
    verdict: Verdict = "undecided"
    if _least(p, at.yes_no):
        verdict = "yes" if _least(p, threshold) else "unsure"
    elif p <= 1 - at.yes_no + _CLOSE:
        verdict = "unsure"
    return _judged(verdict, heard, p)


def _judged(verdict: Verdict, heard: Heard, support: float) -> Judgement:
    by = "" if verdict == "undecided" else NAME
    told = dict(heard.probabilities)
    return Judgement(verdict, support=min(1.0, support), decided_by=by, probabilities=told)


def _undecided(heard: Heard, flag: str, *, support: float | None) -> Judgement:
    told = dict(heard.probabilities) or None
    return Judgement("undecided", support=support, flags=(flag,), probabilities=told)


def statements(items: Sequence[str], heard: Sequence[Heard], at: DecideAt) -> tuple[Statement, ...]:
    """Judge the sentences of an answer."""
    return tuple(Statement(text, sentence(one, at)) for text, one in zip(items, heard, strict=True))


def comparison(label: Heard, level: Heard, at: DecideAt) -> Comparison:
    """Judge how far two answers agree: the likeliest label if likely enough, the expected level."""
    expected: float | None = None
    if level.silence(at.least_mass) is None:
        p = level.probabilities
        mean = sum(int(name) * share for name, share in p.items()) / (len(p) - 1)
        expected = min(1.0, mean)  # rounded probabilities may sum to a little over 1
    found: Agreement | None = _likeliest(label, LABELS, at)
    return Comparison(label=found, score=expected)


def chosen(heard: Heard, options: Sequence[str], at: DecideAt) -> Chosen:
    """Choose among options: the likeliest if likely enough, and the same in both orders."""
    flag = heard.silence(at.least_mass)
    option = None if flag else _likeliest(heard, options, at)
    if flag is None and len(_favourites(heard, options)) > 1:
        flag = "order"
    return Chosen(
        option,
        flags=(flag,) if flag else (),
        probabilities=dict(heard.probabilities) or None,
        decided_by="" if option is None else NAME,
    )


def _likeliest(heard: Heard, words: Sequence[W], at: DecideAt) -> W | None:
    if heard.silence(at.least_mass):
        return None
    best, *others = _favourites(heard, words)
    return best if not others and _least(heard.probabilities[best], at.choice) else None


def _favourites(heard: Heard, words: Sequence[W]) -> set[W]:
    """Return the likeliest word of each order of the options."""
    told = [answer.probabilities for answer in heard.answers if isinstance(answer, Told)]
    return {max(words, key=one.__getitem__) for one in told}


def grade(items: Sequence[str], heard: Sequence[Heard], level: Heard, at: DecideAt) -> Grade:
    """Judge an answer by its sentences and as a whole: of levels alike the lower one."""
    claims = tuple(
        GradedClaim(text, _accuracy(one, at)) for text, one in zip(items, heard, strict=True)
    )
    score: int | None = None
    if level.silence(at.least_mass) is None:
        p = level.probabilities
        best = min(p, key=lambda name: (-round(p[name], 9), int(name)))
        score = int(best) + LEAST if _least(p[best], at.score) else None
    return Grade(score=score, claims=claims)


def _accuracy(heard: Heard, at: DecideAt) -> AccuracyVerdict | None:
    return _likeliest(heard, ACCURACY_VERDICTS, at)


def contradiction(heard: Heard) -> Contradiction:
    """Give a second opinion; one that was refused confirms nothing."""
    p = heard.probabilities.get(YES, 0.0)
    return Contradiction(contradicts=p >= 0.5, confidence=p)  # noqa: PLR2004 - as likely as not
