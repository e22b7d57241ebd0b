"""The settings: a YAML file, changed by the environment. The one module that reads it.

STREAMGAUGE_SECTION__KEY    changes one key; lists and mappings are written as JSON
STREAMGAUGE_CHAT_KEY …      secrets (`Secrets`), which no file may hold
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, Field, ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict

from scorers.consistency_settings import AssistantSettings
from scorers.criterion_settings import CriterionSettings
from scorers.judges.settings import JudgeSettings
from scorers.setting_types import SECTION, Text
from scorers.settings import ScorersSettings
from streams.scoring.own_scorers import criteria_problems, plugged_problems
from streams.scoring.roster import roster_problems
from streams.settings.alert_rules import DEFAULT_RULES, AlertRules, alert_problems
from streams.settings.edges import (
    FOLDER,
    Broker,
    KafkaSettings,
    NotifySettings,
    ServeSettings,
    SinkSettings,
    TelemetrySettings,
    TopicsSettings,
)
from streams.settings.impossible import (
    intake_problems,
    judge_problems,
    sampling_problems,
    topic_problems,
    twice,
    watch_problems,
)
from streams.settings.kafka_security import security_problems
from streams.settings.not_yet import not_yet
from streams.settings.otel import OtelSignal, exported
from streams.settings.overrides import PREFIX, merged, variable_of, wrong_with
from streams.settings.problems import Problem, SettingsError, problems_of
from streams.settings.secrets import Secrets, holds_secret, secrets_in, unusable_keys
from streams.settings.sections import (
    AssembleSettings,
    IntakeSettings,
    SamplingSettings,
    ScoresSettings,
    WatchSettings,
)
from streams.settings.strict_yaml import read_mapping

_OF_TESTS = frozenset(
    {"STREAMGAUGE_TEST_KAFKA", "STREAMGAUGE_REQUIRE_TOOLS"}
)  # read by the tests alone


class Settings(BaseModel):
    """Every setting. Nothing is given the whole: parts get the values they need.

    Made without `load` it holds the defaults, whatever file or environment there is.
    """

    model_config = SECTION

    broker: Broker = "folder:./streamgauge-data"
    """Where the topics are: folder:PATH or kafka://HOST:PORT,HOST:PORT."""
    topics: TopicsSettings = TopicsSettings()
    kafka: KafkaSettings = KafkaSettings()
    intake: IntakeSettings = IntakeSettings()
    assemble: AssembleSettings = AssembleSettings()
    sampling: SamplingSettings = SamplingSettings()
    scorers: ScorersSettings = ScorersSettings()
    criteria: tuple[CriterionSettings, ...] = ()
    """Questions of your own about each answer."""
    abstentions: tuple[Text, ...] = ("No relevant evidence found.",)
    """Answers that say, letter by letter, that there is no answer."""
    judge: JudgeSettings = JudgeSettings()
    assistants: dict[Text, AssistantSettings] = Field(default_factory=dict)
    """How assistants, by service/environment, can be asked again."""
    scores: ScoresSettings = ScoresSettings()
    watch: WatchSettings = WatchSettings()
    alerts: AlertRules = DEFAULT_RULES
    """The rules that are evaluated every minute."""
    notify: tuple[NotifySettings, ...] = ()
    """Who is told of alerts."""
    sinks: tuple[SinkSettings, ...] = ()
    """Where scores are written too."""
    telemetry: TelemetrySettings = TelemetrySettings()
    serve: ServeSettings = ServeSettings()

    @property
    def probabilities(self) -> dict[str, float | None]:
        """Each scorer's own probability, criteria included; None where it takes the row's."""
        return {
            **self.scorers.probabilities,
            **{criterion.name: criterion.probability for criterion in self.criteria},
        }

    @property
    def folder(self) -> Path | None:
        """The folder of the topics, None where they are on Kafka."""
        path = self.broker.removeprefix(FOLDER)
        return None if path == self.broker else Path(path)


class _Variables(Settings, BaseSettings):
    """Every setting as pydantic-settings looks for it in the environment."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", env_parse_none_str="null"
    )


def load(path: Path | None, options: Mapping[str, object] = MappingProxyType({})) -> Settings:
    """Read the file, if one is named; the environment wins over it, and `options` over both.

    `options` (the command line's) are sections and keys as in the file. Raises SettingsError with
    everything that is wrong.
    """
    changes, problems = _environment()
    values = merged(merged({} if path is None else read_mapping(path), changes), options)
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        wrong = {detail["loc"][0] for detail in error.errors()}
        sound = {name: value for name, value in values.items() if name not in wrong}
        settings = Settings.model_validate(sound)
        problems += problems_of(error, Settings)
        problems += [*plugged_problems(settings.scorers), *not_yet(settings, Settings())]
    else:
        problems += not_yet(settings, Settings())
        named = {problem.path for problem in problems}
        problems += (problem for problem in _impossible(settings) if problem.path not in named)
    if problems:
        raise SettingsError(map(_traced, problems))
    return settings


def read_secrets() -> Secrets:
    """Return the secrets that the environment holds."""
    return secrets_in(_variables())


def exported_by_environment() -> frozenset[OtelSignal]:
    """Return the signals for which OpenTelemetry's variables name a collector."""
    return exported(os.environ)  # noqa: TID251 - the one place that reads it


def _impossible(settings: Settings) -> Iterator[Problem]:
    scorers = settings.probabilities.keys()
    in_use = read_secrets() if settings.folder is None else None
    yield from security_problems(settings.kafka, in_use=in_use)
    yield from topic_problems(settings.topics)
    yield from intake_problems(settings.intake)
    yield from sampling_problems(settings.sampling, settings.intake)
    yield from judge_problems(settings.judge, settings.scorers)
    yield from roster_problems(settings.scorers, settings.assistants)
    yield from plugged_problems(settings.scorers)
    yield from criteria_problems(settings.criteria, settings.judge.stages)
    yield from watch_problems(settings.watch, settings.judge)
    yield from alert_problems(settings.alerts, scorers, settings.watch.segments)
    yield from twice("notify", (receiver.name for receiver in settings.notify))
    yield from twice("sinks", (sink.kind for sink in settings.sinks))


def _variables() -> dict[str, str]:
    everything = os.environ  # noqa: TID251 - the one place that reads it
    upper = {name.upper(): value for name, value in everything.items()}
    return {name: value for name, value in upper.items() if name.startswith(PREFIX)}


def _environment() -> tuple[dict[str, Any], list[Problem]]:
    """Return what the variables change, or nothing of it and what is wrong with them."""
    problems = [
        Problem(name, wrong)
        for name, value in _variables().items()
        if name not in _OF_TESTS and not holds_secret(name)
        if (wrong := wrong_with(name, value, Settings)) is not None
    ]
    problems += (
        Problem(name, "holds what no key has: a blank, a line's end, or a letter beyond ASCII")
        for name in unusable_keys(_variables())
    )
    return ({}, problems) if problems else (EnvSettingsSource(_Variables)(), problems)


def _traced(problem: Problem) -> Problem:
    """Say so where a value is not the file's: it would be looked for there in vain."""
    variable = variable_of(problem.path)
    if variable not in _variables():
        return problem
    return Problem(problem.path, f"{problem.message} (set by {variable})")
