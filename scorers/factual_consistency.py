"""Factual consistency: does the assistant state the same facts when the question is put anew?

It says how stable the answers are, not how right: a system can be stable and wrong.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from schemas.score import InvalidInput, NotScorable, Outcome, Scored, ScoringError
from schemas.trace import RagTrace, Turn
from scorers import templates
from scorers.asking.comparing import Compared, Scale, compare, tally
from scorers.asking.together import ask_all
from scorers.contract import Assistant, FreshAnswer, Judge, JudgeUnavailableError
from scorers.evidence.inputs import invalid
from scorers.parameters import ParameterError, number, whole
from scorers.questions import CompareAnswers
from scorers.templates import TEMPLATES, Template


@dataclass(frozen=True, slots=True)
class FactualConsistency:
    """Asks the assistant again, the question in another frame, and a judge to compare.

    Only `assistants` (by `service/environment`) are asked: it costs them calls, and may have side
    effects. The stored answer is the base, is never asked for again, and is one of the
    `responses_per_query`, so a row costs at most `responses_per_query` - 1 calls to the assistant
    and as many to the judge, and what is tried again. `min`, `max`, `inverted`, `weight` and
    `metric_name` say how the figure is shown.
    """

    assistants: Mapping[str, Assistant] = field(default_factory=dict)
    responses_per_query: int = 3
    sut_temperature: float = 0.7
    metric_name: str | None = None
    min: float = 0.0
    max: float = 1.0
    inverted: bool = False
    weight: float = 1.0
    pass_at: float = 0.6
    salt: str = "streamgauge"
    templates: tuple[Template, ...] = TEMPLATES
    name: str = "factual_consistency"
    version: str = "1"

    def __post_init__(self) -> None:
        """Refuse what is out of bounds. Raises ParameterError."""
        whole("responses_per_query", self.responses_per_query, least=2, most=8)
        number("sut_temperature", self.sut_temperature, least=0, most=2)
        number("min", self.min)
        number("max", self.max)
        if self.min >= self.max:
            raise ParameterError("min", "must be less than max")
        number("weight", self.weight, above=0)
        number("pass_at", self.pass_at, least=0, most=1)
        if not self.templates:
            raise ParameterError("templates", "must be at least one")

    @property
    def settings(self) -> Mapping[str, JsonValue]:
        """How the fresh answers are got, and the scale."""
        own = None if self.templates is TEMPLATES else [frame.text for frame in self.templates]
        return {
            "responses_per_query": self.responses_per_query,
            "sut_temperature": self.sut_temperature,
            "min": self.min,
            "max": self.max,
            "inverted": self.inverted,
            "salt": self.salt,
            "templates": templates.VERSION if own is None else [*own],
        }

    async def score(self, trace: RagTrace, judge: Judge) -> Outcome:
        """Check the input, ask the assistant, and once all has come the judge."""
        if refusal := invalid(trace, "question", "history"):
            return refusal
        if trace.question is None:
            return NotScorable(reason="missing_question")
        needed = {"id": trace.trace_id, "question": trace.question, "answer": trace.answer or ""}
        for blank in (name for name, text in needed.items() if not text.strip()):
            return InvalidInput(reason=f"blank_{blank}")
        assistant = self.assistants.get(trace.assistant)
        if assistant is None:
            return NotScorable(reason="assistant_not_listed")
        frame = templates.pick(
            self.templates, salt=self.salt, scorer_version=self.version, record_id=trace.trace_id
        )
        fresh = await self._fresh_answers(trace, frame.fill(trace.question), assistant)
        compared = await ask_all(_compared(trace, answer, judge) for answer in fresh)
        if all(one.comparison is None for one in compared):
            error = ScoringError(kind="all_comparisons_failed", cause=compared[-1].error)
            raise JudgeUnavailableError(error)
        about: dict[str, JsonValue] = {
            "template": frame.id,
            "template_family": frame.family,
            "sut_calls": sum(answer.attempts for answer in fresh),
            "metric_name": self.metric_name or self.name,
            "weight": self.weight,
        }
        scale = Scale(self.min, self.max, inverted=self.inverted)
        return tally(compared, scale=scale, about=about)

    def bad(self, verdict: Scored) -> bool:
        """Say whether the answers agree too little."""
        return verdict.normalized < self.pass_at

    async def _fresh_answers(
        self, trace: RagTrace, variant: str, assistant: Assistant
    ) -> list[FreshAnswer]:
        """Ask as often as needed, at once. One that cannot be had is the end of the row.

        Equal answers are kept, and nothing is cached: each is a sample of its own. Only the last
        turn is put another way; what was said before is said again as it was.
        """
        messages = (*(trace.history or ()), Turn(role="user", text=variant))
        return await ask_all(
            assistant.ask(messages, temperature=self.sut_temperature)
            for _ in range(self.responses_per_query - 1)
        )


async def _compared(trace: RagTrace, fresh: FreshAnswer, judge: Judge) -> Compared:
    """Compare, base first. A judge that fails loses this comparison and not the row."""
    about = CompareAnswers(trace.question or "", base=trace.answer or "", other=fresh.text)
    try:
        answer = await judge.ask(compare(about, row=trace.trace_id))
    except JudgeUnavailableError as error:
        return Compared(fresh.text, None, error=error.error.cause or error.error.kind)
    return Compared(fresh.text, answer.value)
