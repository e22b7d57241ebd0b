"""The sections of the settings that the flow owns; the scorers and judges own theirs."""

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, field_validator

from schemas.quantities import Size
from scorers.setting_types import (
    SECTION,
    NotEmpty,
    PositiveCount,
    PositiveDuration,
    Probability,
    Text,
)
from streams.assemble.mapping import SpanFields
from streams.intake.labels import label
from streams.intake.layout import ALIASES, ATTRIBUTE
from streams.scoring.disclosure import Disclosure
from streams.scoring.sampling import BASE
from streams.settings.edges import TopicName

MOST_KEY_BYTES = 64
"""Of BLAKE2b, which the salt is a key of."""


def _assistant(name: str) -> str:
    service, _, environment = name.partition("/")
    parts = (service.strip(), environment.strip())
    if not all(parts) or "/" in environment or not name.isprintable():
        raise ValueError("write service/environment with one slash, such as shop/production")
    return name


class IntakeSettings(BaseModel):
    """How rows are read."""

    model_config = SECTION

    encoding: Literal["json", "otlp_json", "otlp_proto", "cloudevents", "confluent", "auto"] = (
        "json"
    )
    """What a record is (docs/messages.md); spans only where each record is a whole trace."""
    assistant: Annotated[str, AfterValidator(_assistant)] | None = None
    """service/environment of every row, where a topic carries one assistant; null: the row's."""
    fields: dict[str, Text] = Field(default_factory=dict)
    """Where fields of a row stand, by dotted path: {question: payload.user.text}."""
    max_bytes: Annotated[Size, Field(ge=1)] = 1 << 20
    """Longer records are set aside unread."""
    max_text: PositiveCount = 200_000
    """Characters of one field that a model reads at once; more is read in chunks, never cut."""

    @field_validator("fields")
    @classmethod
    def _known(cls, fields: dict[str, str]) -> dict[str, str]:
        for name in fields:
            if name not in ALIASES and name.removeprefix(ATTRIBUTE) == name:
                known = ", ".join(sorted(ALIASES))
                raise ValueError(f"{name} is no field of a row: use {known} or {ATTRIBUTE}NAME")
        return fields

    @property
    def service_and_environment(self) -> tuple[str, str] | None:
        """The constant assistant in its two parts."""
        if self.assistant is None:
            return None
        service, _, environment = self.assistant.rpartition("/")
        return service, environment


class AssembleSettings(BaseModel):
    """How spans become rows."""

    model_config = SECTION

    topic: TopicName = "otlp_spans"
    """Spans in."""
    encoding: Literal["otlp_proto", "otlp_json"] = "otlp_proto"
    """What a record's bytes are."""
    by_trace: bool = True
    """Whether a trace's spans share a partition already."""
    quiet_after_root: PositiveDuration = timedelta(seconds=5)
    """A trace is closed when no span came for so long after its root."""
    max_wait: PositiveDuration = timedelta(seconds=30)
    """A trace is closed so long after its first span, whatever is missing."""
    max_traces: PositiveCount = 50_000
    """Open at one time."""
    max_buffer_bytes: Annotated[Size, Field(ge=1)] = 256 << 20
    """Held in memory for them."""
    fields: tuple[SpanFields, ...] = ()
    """Where spans that speak no dialect keep what a row needs (docs/dialects.md)."""


def _values(value: object) -> object:
    values = value if isinstance(value, list | tuple) else [value]
    labels = [label(one) if isinstance(one, str | bool | int | float) else None for one in values]
    if not labels or None in labels:
        raise ValueError("write one short value or a list of them")
    return labels


class StratumSettings(BaseModel):
    """Rows that are sampled apart from the rest."""

    model_config = SECTION

    name: Text
    """What it is counted under."""
    when: Annotated[
        dict[Text, Annotated[tuple[str, ...], BeforeValidator(_values)]], Field(min_length=1)
    ]
    """All of these must hold: an attribute, service, environment or feedback, and its values."""
    probability: Probability
    """In place of the section's."""


class SamplingSettings(BaseModel):
    """Which rows are judged."""

    model_config = SECTION

    salt: Text = "streamgauge"
    """Another salt draws other rows: 64 bytes at most."""
    probability: Probability = 0.05
    """The chance of a row: above 0, at most 1."""
    by: Literal["body", "key"] = "body"
    """key draws by the record's key and reads no body."""
    weights: Literal["observed", "population"] = "observed"
    """What rates speak of: the rows on the topic, or those before an upstream sampler too."""
    strata: tuple[StratumSettings, ...] = ()
    """The first that holds takes the row."""

    @field_validator("salt")
    @classmethod
    def _short(cls, salt: str) -> str:
        if len(salt.encode()) > MOST_KEY_BYTES:
            raise ValueError(f"has to fit in {MOST_KEY_BYTES} bytes")
        return salt

    @field_validator("strata")
    @classmethod
    def _distinct(cls, strata: tuple[StratumSettings, ...]) -> tuple[StratumSettings, ...]:
        names = [BASE, *(stratum.name for stratum in strata)]
        if len(set(names)) != len(names):
            raise ValueError(f"names have to differ, and {BASE} is the rest of the rows")
        return strata


class ScoresSettings(BaseModel):
    """What is published of a verdict."""

    model_config = SECTION

    text: Disclosure = "claims"
    """Judged text: claims and quotes cut short, none, or full."""


class WatchSettings(BaseModel):
    """What is kept of the scores."""

    model_config = SECTION

    windows: Annotated[tuple[PositiveDuration, ...], NotEmpty] = (
        timedelta(minutes=5),
        timedelta(hours=1),
        timedelta(hours=6),
        timedelta(days=3),
    )
    """The spans that figures are shown over."""
    segments: tuple[Text, ...] = ("prompt_version",)
    """Attributes by whose values figures are split too: two at most."""
    lateness: PositiveDuration = timedelta(minutes=5)
    """How long a minute stays open after it has passed."""
    max_panes: PositiveCount = 200_000
    """Held in memory; above it new segment values are counted together."""
    calibration: Text | None = None
    """File that `calibrate` wrote."""
