"""Values that are each right and cannot be had together, with the way out of each."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import get_args

from scorers.judges.settings import (
    ChatSettings,
    DecisionsSettings,
    JudgeSettings,
    ReasonsSettings,
)
from scorers.settings import FaithfulnessSettings, ScorersSettings
from streams.assemble.otlp import SpanEncoding, protobuf_is_here
from streams.settings.edges import TopicsSettings
from streams.settings.problems import Problem
from streams.settings.sections import IntakeSettings, SamplingSettings, WatchSettings
from streams.watch.panes.stages import STAGES

KEPT = timedelta(milliseconds=STAGES[-1].age)
"""How long panes are kept: no window can be longer."""

MOST_SEGMENTS = 2

CHAT_ONLY = ("faithfulness_binary", "factual_consistency", "factual_accuracy")
"""The scorers whose questions the rules judge cannot answer."""


def twice(path: str, names: Iterable[str]) -> Iterator[Problem]:
    """Yield the names that stand more than once."""
    for name, times in Counter(names).items():
        if times > 1:
            yield Problem(path, f"{name} stands {times} times: give each a name of its own")


def topic_problems(topics: TopicsSettings) -> Iterator[Problem]:
    """Yield names that two topics share."""
    yield from twice("topics", (getattr(topics, name) for name in type(topics).model_fields))


def sampling_problems(sampling: SamplingSettings, intake: IntakeSettings) -> Iterator[Problem]:
    """Yield what drawing by the key cannot do."""
    if sampling.by != "key":
        return
    if sampling.strata:
        yield Problem(
            "sampling.by", "key reads no body, which strata need: write body, or drop them"
        )
    if intake.assistant is None:
        yield Problem(
            "sampling.by", "key cannot tell whose row it is: set intake.assistant, or write body"
        )


def intake_problems(intake: IntakeSettings) -> Iterator[Problem]:
    """Yield what rows made of spans cannot do, or not here."""
    if intake.encoding not in get_args(SpanEncoding):
        return
    if intake.encoding == "otlp_proto" and not protobuf_is_here():
        yield Problem("intake.encoding", "otlp_proto needs protobuf: install streamgauge[otlp]")
    if intake.fields:
        yield Problem("intake.fields", "rows made of spans have no other names: leave it out")


def judge_problems(judge: JudgeSettings, scorers: ScorersSettings) -> Iterator[Problem]:
    """Yield judges that lack something, and scorers whose questions they cannot answer."""
    stages = judge.stages
    yield from twice("judge.cascade", judge.cascade)
    yield from _endpoints(judge, stages)
    yield from _budget(judge)
    for name in CHAT_ONLY if stages == ("rules",) else ():
        if name in scorers.on:
            yield Problem(
                f"scorers.{name}", "the rules judge cannot answer it: set judge.kind, or null"
            )
    if scorers.faithfulness is not None:
        yield from _faithfulness(scorers.faithfulness, stages)


def _endpoints(judge: JudgeSettings, stages: Sequence[str]) -> Iterator[Problem]:
    endpoints = {"chat": judge.chat, "decisions": judge.decisions}
    for stage in endpoints.keys() & set(stages):
        for key in ("url", "model"):
            if getattr(endpoints[stage], key) is None:
                yield Problem(f"judge.{stage}.{key}", f"the {stage} judge needs it: set it")


def _budget(judge: JudgeSettings) -> Iterator[Problem]:
    """Yield what makes a budget that nothing would be counted against."""
    budget = judge.budget
    models: dict[str, ChatSettings | DecisionsSettings | ReasonsSettings] = {}
    if "chat" in judge.stages:
        models["chat"] = judge.chat
    if "decisions" in judge.stages:
        models["decisions"] = judge.decisions
    if judge.reasons is not None:
        models["reasons"] = judge.reasons
    if not models and (budget.calls_per_hour or budget.cost_per_day):
        yield Problem("judge.budget", "the rules judge asks no model and costs nothing: drop it")
    for name, model in models.items() if budget.cost_per_day else ():
        if None in (model.price.input_per_million, model.price.output_per_million):
            yield Problem(
                f"judge.{name}.price",
                "judge.budget.cost_per_day cannot be counted without it: set both of its keys",
            )


def _faithfulness(scorer: FaithfulnessSettings, stages: Sequence[str]) -> Iterator[Problem]:
    if scorer.claims == "judge" and stages != ("chat",):
        yield Problem(
            "scorers.faithfulness.claims", "judge needs judge.kind: chat; or write sentences"
        )
    if scorer.include_reason and "chat" not in stages:
        yield Problem(
            "scorers.faithfulness.include_reason", "needs a chat judge: set judge.kind, or false"
        )


def watch_problems(watch: WatchSettings, judge: JudgeSettings) -> Iterator[Problem]:
    """Yield what cannot be kept, and minutes that would close before their rows are judged."""
    if len(watch.segments) > MOST_SEGMENTS:
        yield Problem(
            "watch.segments", f"at most {MOST_SEGMENTS}: each one multiplies what is kept"
        )
    yield from twice("watch.segments", watch.segments)
    if watch.lateness < judge.row_deadline:
        yield Problem(
            "watch.lateness",
            "a row may be judged for longer: let it be at least judge.row_deadline",
        )
    for place, window in enumerate(watch.windows):
        yield from window_problems(f"watch.windows.{place}", window)


def window_problems(path: str, window: timedelta) -> Iterator[Problem]:
    """Yield why a window cannot be looked at."""
    if window > KEPT:
        yield Problem(path, f"panes are kept for {KEPT.days} days: let it be no longer")
    if window <= timedelta(0) or window % timedelta(minutes=1):
        yield Problem(path, "panes are minutes: let it be whole minutes, one at least")
