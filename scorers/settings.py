"""The settings of the scorers: which are on, and from where an answer counts as bad."""

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from scorers.consistency_settings import FactualConsistencySettings
from scorers.setting_types import SECTION, Probability, Real, Retries, Share, Text, Whole

EvidenceSource = Literal["contexts", "tool_results", "history"]


class FaithfulnessSettings(BaseModel):
    """Is every claim of the answer supported by what was retrieved?"""

    model_config = SECTION

    probability: Probability | None = None
    """Of this scorer, nested in the row's; null: the row's."""
    n_judge_retries: Retries | None = None
    """Null: the judge's."""
    claims: Literal["sentences", "judge"] = "sentences"
    """What a claim is: a sentence of the answer, or what a chat judge extracts."""
    claims_per_call: Whole = 8
    """Claims that one question holds."""
    evidence: tuple[EvidenceSource, ...] = ("contexts", "tool_results")
    """The first of these that the row has is the evidence."""
    all_evidence: bool = False
    """Take all of them instead; history may then be one."""
    pass_at: Share = 0.7
    """Bad below this share of supported claims, or when one is contradicted."""
    scale: Annotated[Real, Field(gt=0)] = 1.0
    """The greatest score."""
    include_reason: bool = False
    """Ask a chat judge for a summary of its verdicts, one more call a row."""
    keep_prompts: bool = False
    """Publish the prompts, which hold judged text."""

    @model_validator(mode="after")
    def _sound_evidence(self) -> Self:
        if not self.evidence or len(set(self.evidence)) != len(self.evidence):
            raise ValueError("evidence names at least one source, and each once")
        if "history" in self.evidence and not self.all_evidence:
            raise ValueError("evidence may hold history only with all_evidence: true")
        return self


class FaithfulnessBinarySettings(BaseModel):
    """Is each statement of the answer inferable from the contexts, yes or no?"""

    model_config = SECTION

    probability: Probability | None = None
    """Of this scorer, nested in the row's; null: the row's."""
    n_judge_retries: Retries | None = None
    """Null: the judge's."""
    examples: tuple[dict[str, object], ...] | None = None
    """Few-shot examples in place of the built-in ones."""
    pass_at: Share = 0.7
    """Bad below this share of supported statements."""


class CitationAccuracySettings(BaseModel):
    """Does what a sentence cites support it, and is every citation real?"""

    model_config = SECTION

    probability: Probability | None = None
    """Of this scorer, nested in the row's; null: the row's."""
    n_judge_retries: Retries | None = None
    """Null: the judge's."""
    threshold: Share = 0.5
    """The support from which a cited sentence counts as supported."""
    pass_at: Share = 0.5
    """Bad below this precision, or with a made-up citation."""
    min_words: Whole = 4
    """Shorter sentences need no citation."""
    superscripts: bool = False
    """Read ¹ and ² as citations."""
    uncited_is_bad: bool = False
    """Count an answer without any citation as bad."""
    in_flight: Whole = 8
    """Questions about one answer at one time."""


class FactualAccuracySettings(BaseModel):
    """Does the answer agree with a reference answer?"""

    model_config = SECTION

    probability: Probability | None = None
    """Of this scorer, nested in the row's; null: the row's."""
    criteria: Text | None = None
    """The text of the scale; null: the built-in one, from 1 to 5."""
    focus: Text | None = None
    """Kinds of facts that matter most, with commas between; null: all alike."""
    tolerance_policy: Text | None = None
    """What the judge is told of near misses; null: literal agreement."""
    numeric_tolerance: Share = 0.05
    """Share by which a number may be off."""
    examples: tuple[dict[str, object], ...] | None = None
    """Graded examples for the judge."""
    contradiction_check: bool = False
    """Ask once more about each contradicted claim."""
    n_judge_retries: Retries = 1
    """Further attempts: 0 to 5."""
    pass_at: Share = 0.5
    """Bad below this normalized score."""


class PluggedSettings(BaseModel):
    """A scorer of another distribution: what every scorer takes, and its own parameters."""

    model_config = ConfigDict(**{**SECTION, "extra": "allow"})
    __pydantic_extra__: dict[str, JsonValue]

    probability: Probability | None = None
    """Of this scorer, nested in the row's; null: the row's."""
    n_judge_retries: Retries | None = None
    """Null: the judge's."""

    @property
    def parameters(self) -> dict[str, JsonValue]:
        """What the scorer is made with."""
        return dict(self.__pydantic_extra__)


_Section = (
    FaithfulnessSettings
    | FaithfulnessBinarySettings
    | CitationAccuracySettings
    | FactualConsistencySettings
    | FactualAccuracySettings
    | PluggedSettings
)


class ScorersSettings(BaseModel):
    """The scorers that are on; one that is null is off. Other distributions may offer more."""

    model_config = ConfigDict(**{**SECTION, "extra": "allow"})
    __pydantic_extra__: dict[str, PluggedSettings | None]

    faithfulness: FaithfulnessSettings | None = FaithfulnessSettings()
    faithfulness_binary: FaithfulnessBinarySettings | None = None
    citation_accuracy: CitationAccuracySettings | None = CitationAccuracySettings()
    factual_consistency: FactualConsistencySettings | None = None
    factual_accuracy: FactualAccuracySettings | None = None

    @property
    def plugged(self) -> dict[str, PluggedSettings | None]:
        """The sections of scorers that are not our own, by name."""
        return dict(self.__pydantic_extra__)

    @property
    def on(self) -> tuple[str, ...]:
        """The names of the scorers that are on, in the order of this section, our own first."""
        return tuple(name for name, section in self._sections() if section is not None)

    @property
    def probabilities(self) -> dict[str, float | None]:
        """Each scorer's own probability, None where it takes the row's."""
        return {name: one.probability for name, one in self._sections() if one is not None}

    @property
    def pass_at(self) -> dict[str, float]:
        """The normalized score from which each scorer's answers pass, where that is its measure."""
        lines = {name: getattr(section, "pass_at", None) for name, section in self._sections()}
        return {name: line for name, line in lines.items() if isinstance(line, float)}

    def retries_of(self, name: str) -> int | None:
        """Return a scorer's own retries, None where it takes its judge's."""
        section = dict(self._sections()).get(name)
        return section.n_judge_retries if section else None

    def _sections(self) -> Iterator[tuple[str, _Section | None]]:
        for name in type(self).model_fields:
            yield name, getattr(self, name)
        yield from self.plugged.items()
