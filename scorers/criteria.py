"""A criterion: a question of your own about each answer, with the answers that are good and bad."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from schemas.score import Breakdown, NotScorable, Outcome, Scored
from schemas.trace import RagTrace
from scorers.answers import Chosen
from scorers.asking.whole_answers import choose
from scorers.contract import Judge
from scorers.evidence.inputs import invalid
from scorers.evidence.recorded import recorded
from scorers.parameters import ParameterError, label
from scorers.questions import AnswerCriterion

Worth = Literal["good", "bad"]

MOST_OPTIONS = 26
"""Answers that one question may offer: as many as every decisions server takes."""

_LONGEST = 64


@dataclass(frozen=True, slots=True)
class Criterion:
    """Asks a model which of the answers holds: a good one scores 1, a bad one 0.

    The judge is shown the row's answer, and its question and contexts where they were recorded. An
    answer that abstains is judged like any other: whether that is bad is for the question to say.
    """

    name: str
    question: str
    answers: Mapping[str, Worth]
    version: str = "1"

    def __post_init__(self) -> None:
        """Refuse a name that is no label, a blank question, and answers that cannot be told."""
        label("name", self.name)
        if not self.question.strip():
            raise ParameterError("question", "must not be blank")
        _check(self.answers)

    @property
    def settings(self) -> Mapping[str, JsonValue]:
        """The question, and the answers in the order in which they are offered."""
        answers: list[JsonValue] = [[option, worth] for option, worth in self.answers.items()]
        return {"question": self.question, "answers": answers}

    async def score(self, trace: RagTrace, judge: Judge) -> Outcome:
        """Check the input, ask, count."""
        if refusal := invalid(trace, "question", "contexts"):
            return refusal
        answer = trace.answer or ""
        if not answer.strip():
            return NotScorable(reason="empty_answer")
        about = AnswerCriterion(
            criterion=self.question,
            options=tuple(self.answers),
            answer=answer,
            question=trace.question,
            evidence=recorded(trace, ("contexts",)),
        )
        chosen = (await judge.ask(choose(about, row=trace.trace_id))).value
        return tally(self, chosen, judge=judge.identity.name)

    def bad(self, verdict: Scored) -> bool:
        """Say whether the answer that holds is one of the bad ones."""
        return verdict.normalized < 1


def tally(criterion: Criterion, chosen: Chosen, *, judge: str) -> Outcome:
    """Count each answer by itself. A judge that cannot tell leaves nothing to count."""
    option, told = chosen.option, chosen.probabilities
    row: Breakdown = {
        "question": criterion.question,
        "answer": option,
        "worth": None if option is None else criterion.answers[option],
        "decided_by": None if option is None else chosen.decided_by or judge,
        "flags": list(chosen.flags),
        "reason": chosen.reason,
    }
    if told is not None:
        row["probabilities"] = dict(told)
    if option is None:
        return NotScorable(reason="undecided", breakdown={"criterion": row})
    score = float(criterion.answers[option] == "good")
    return Scored(
        score=score,
        normalized=score,
        label=option,
        support=None if told is None else _support(told, criterion.answers),
        counts={
            **{known: int(known == option) for known in criterion.answers},
            **{f"escalated_{stage}": 1 for stage in chosen.escalated},
        },
        flags=chosen.flags,
        reason=chosen.reason or None,
        breakdown={"criterion": row},
    )


def _support(told: Mapping[str, float], answers: Mapping[str, Worth]) -> float:
    """Return how likely a good answer is; rounded probabilities may sum to a little over 1."""
    return min(1.0, sum(p for option, p in told.items() if answers[option] == "good"))


def _check(answers: Mapping[str, str]) -> None:
    if set(answers.values()) != {"good", "bad"}:
        raise ParameterError("answers", "must say good or bad of each, and have one of both")
    if len(answers) > MOST_OPTIONS:
        raise ParameterError("answers", f"must be {MOST_OPTIONS} at most")
    if not _told_apart(tuple(answers)):
        raise ParameterError(
            "answers",
            f"must differ in more than case, and be printable, up to {_LONGEST} characters long, "
            "without white space around them",
        )


def _told_apart(options: Sequence[str]) -> bool:
    """Say whether a reply that names an option can be told from all others."""
    sound = all(0 < len(o) <= _LONGEST and o == o.strip() and o.isprintable() for o in options)
    return sound and len({option.lower() for option in options}) == len(options)
