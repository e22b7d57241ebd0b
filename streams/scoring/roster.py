"""The scorers that are on, made from their settings; and what they refuse to be made with."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from pydantic import JsonValue, TypeAdapter

from scorers.assistant import Address
from scorers.citation_accuracy import CitationAccuracy
from scorers.consistency_settings import AssistantSettings
from scorers.contract import Assistant, Scorer
from scorers.criteria import Criterion
from scorers.criterion_settings import CriterionSettings
from scorers.factual_accuracy import FactualAccuracy
from scorers.factual_consistency import FactualConsistency
from scorers.faithfulness import Faithfulness
from scorers.faithfulness_binary import FaithfulnessBinary
from scorers.parameters import ParameterError
from scorers.plugged import plugged
from scorers.settings import PluggedSettings, ScorersSettings
from streams.settings.problems import Problem

_MADE: Mapping[str, Callable[..., Scorer]] = {
    "faithfulness": Faithfulness,
    "faithfulness_binary": FaithfulnessBinary,
    "citation_accuracy": CitationAccuracy,
    "factual_consistency": FactualConsistency,
    "factual_accuracy": FactualAccuracy,
}

_OF_THE_CALLS = frozenset(
    {"probability", "n_judge_retries", "n_sut_retries", "concurrency_limit", "timeout"}
)
"""Settings of a scorer's section that belong to its calls, and are no parameters of it."""

_BODY: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)


def roster(
    on: ScorersSettings,
    abstentions: tuple[str, ...],
    assistants: Mapping[str, Assistant] = MappingProxyType({}),
    *,
    criteria: Sequence[CriterionSettings] = (),
) -> list[Scorer]:
    """Return the scorers that are on, own criteria last.

    Raises ParameterError for what no row could be judged by, PlugError for what cannot be had.
    """
    made = [_made(name, on, abstentions, assistants) for name in on.on]
    return [*made, *map(criterion, criteria)]


def _made(
    name: str,
    on: ScorersSettings,
    abstentions: tuple[str, ...],
    assistants: Mapping[str, Assistant],
) -> Scorer:
    section = on.plugged.get(name)
    if isinstance(section, PluggedSettings):
        return plugged(name, section.parameters)
    parameters = getattr(on, name).model_dump(exclude=_OF_THE_CALLS)
    if name == "factual_consistency":
        return FactualConsistency(**parameters, assistants=assistants)
    return _MADE[name](**parameters, abstentions=abstentions)


def criterion(section: CriterionSettings) -> Criterion:
    """Return the scorer of a question of one's own. Raises ParameterError."""
    return Criterion(section.name, section.question, section.answers)


def address(assistant: AssistantSettings) -> Address:
    """Return where an assistant is asked again. Raises ParameterError."""
    body = _BODY.validate_python(assistant.body)
    return Address(assistant.url, body, assistant.answer, per_minute=assistant.per_minute)


def roster_problems(
    on: ScorersSettings, assistants: Mapping[str, AssistantSettings]
) -> Iterator[Problem]:
    """Yield what our own scorers and the assistants refuse to be made with."""
    for name in on.on:
        if name in on.plugged:
            continue
        try:
            _made(name, on, (), {})
        except ParameterError as refused:
            yield Problem(f"scorers.{name}.{refused.name}", refused.wrong)
    for name, assistant in assistants.items():
        try:
            address(assistant)
        except ParameterError as refused:
            yield Problem(f"assistants.{name}.{refused.name}", refused.wrong)
    if on.factual_consistency is not None and not assistants:
        yield Problem("scorers.factual_consistency", "asks assistants again: list one at least")
