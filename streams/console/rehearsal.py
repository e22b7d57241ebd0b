"""What judging some rows would take: every scorer runs on them, and nobody outside is asked."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TypeVar, cast

from schemas.score import Failed, Outcome, Scored, ScoringError, Usage
from schemas.trace import RagTrace, Turn
from scorers.answers import Comparison, Grade
from scorers.contract import (
    Answer,
    FreshAnswer,
    Judge,
    JudgeIdentity,
    Judgement,
    JudgeUnavailableError,
    Scorer,
)
from scorers.factual_consistency import FactualConsistency
from scorers.judges.cascade import CascadeJudge, Stage, anything
from scorers.judges.decision_questions import has_probabilities
from scorers.judges.metered import total
from scorers.judges.rules import RulesJudge
from scorers.questions import (
    CompareAnswers,
    GradeAnswer,
    Question,
    Subject,
    SupportSentence,
    VerifyClaims,
)
from streams.console.taking import Taken
from streams.scoring.panel import Seat

A = TypeVar("A")

_LONG = timedelta(minutes=1)
_NOBODY_ASKED = "nobody_asked"


@dataclass(frozen=True, slots=True)
class Rehearsing:
    """A judge that can never tell, and says what asking the model would have taken."""

    model: Taken

    @property
    def identity(self) -> JudgeIdentity:
        """Nobody."""
        return JudgeIdentity(self.model.stage, "0")

    async def ask(self, question: Question[A]) -> Answer[A]:
        """Leave everything undecided; raise where that is no answer to the question."""
        usage, value = self.model.usage(question.about), _undecided(question.about)
        if value is None:
            raise JudgeUnavailableError(ScoringError(kind=_NOBODY_ASKED), usage, final=True)
        return Answer(cast("A", value), usage)


def _undecided(about: Subject) -> object | None:
    match about:
        case VerifyClaims(claims=claims):
            return tuple(Judgement("undecided") for _ in claims)
        case SupportSentence():
            return Judgement("undecided")
        case CompareAnswers():
            return Comparison(None, None)
        case GradeAnswer():
            return Grade(None, ())
        case _:
            return None


class Echoing:
    """An assistant that is not asked."""

    async def ask(self, messages: Sequence[Turn], *, temperature: float) -> FreshAnswer:
        """Return the question."""
        return FreshAnswer(messages[-1].text)


@dataclass(slots=True)
class Part:
    """What one scorer makes of the rows: those that it can judge, why not others, and the cost."""

    rows: int = 0
    able: int = 0
    unable: Counter[str] = field(default_factory=Counter)
    usage: Usage = field(default_factory=Usage)


async def rehearse(
    scorers: Iterable[Scorer],
    stages: Sequence[str],
    models: Mapping[str, Taken],
    traces: Sequence[RagTrace],
) -> dict[str, Part]:
    """Run the scorers over rows with the rules judge, and stand-ins for all models."""
    judge = _judge(stages, models)
    parts: dict[str, Part] = {}
    for scorer in scorers:
        part = parts[scorer.name] = Part()
        seat = Seat(_alone(scorer, traces), judge, _LONG)
        for trace in traces:
            judged = await seat.judged(trace)
            part.rows += 1
            part.usage = total(part.usage, judged.usage)
            if _is_able(judged.outcome, judged.usage):
                part.able += 1
            else:
                part.unable[_why(judged.outcome)] += 1
    return parts


def _judge(stages: Sequence[str], models: Mapping[str, Taken]) -> Judge:
    rules = RulesJudge()
    found = [
        Stage(rules, lambda about: isinstance(about, RulesJudge.answers))
        if name == "rules"
        else Stage(Rehearsing(models[name]), _takes(name))
        for name in stages
    ]
    return CascadeJudge(found) if len(found) > 1 else found[0].judge


def _takes(stage: str) -> Callable[[Subject], bool]:
    return has_probabilities if stage == "decisions" else anything


def _alone(scorer: Scorer, traces: Sequence[RagTrace]) -> Scorer:
    """Return the scorer with nobody to ask but stand-ins."""
    if isinstance(scorer, FactualConsistency):
        return replace(scorer, assistants=dict.fromkeys(scorer.assistants, Echoing()))
    return scorer


def _is_able(outcome: Outcome, usage: Usage) -> bool:
    return usage.calls > 0 or isinstance(outcome, Scored)


def _why(outcome: Outcome) -> str:
    match outcome:
        case Failed(error=error):
            return error.cause or error.kind
        case Scored():
            return ""
        case _:
            return outcome.reason
