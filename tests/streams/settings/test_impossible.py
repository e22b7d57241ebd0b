"""Settings that are sound by themselves and cannot be had together."""

import pytest

from scorers.consistency_settings import FactualConsistencySettings
from scorers.judges.settings import ChatSettings, JudgeSettings
from scorers.settings import (
    FactualAccuracySettings,
    FaithfulnessBinarySettings,
    FaithfulnessSettings,
    ScorersSettings,
)
from streams.settings.impossible import judge_problems, twice
from streams.settings.load import load
from tests.streams.settings.loading import Write, problems

CHAT = JudgeSettings(kind="chat", chat=ChatSettings(url="https://host/v1", model="m"))
CASCADE = JudgeSettings(kind="cascade", cascade=("rules", "chat"), chat=CHAT.chat)
RULES = JudgeSettings()

CHAT_ONLY = {
    "faithfulness_binary": ScorersSettings(faithfulness_binary=FaithfulnessBinarySettings()),
    "factual_consistency": ScorersSettings(factual_consistency=FactualConsistencySettings()),
    "factual_accuracy": ScorersSettings(factual_accuracy=FactualAccuracySettings()),
}


@pytest.mark.parametrize(("name", "scorers"), CHAT_ONLY.items())
def test_the_rules_judge_serves_no_scorer_that_needs_a_model(
    name: str, scorers: ScorersSettings
) -> None:
    assert [problem.path for problem in judge_problems(RULES, scorers)] == [f"scorers.{name}"]
    assert not list(judge_problems(CHAT, scorers))
    assert not list(judge_problems(CASCADE, scorers))


def test_only_a_chat_judge_takes_an_answer_apart() -> None:
    scorers = ScorersSettings(faithfulness=FaithfulnessSettings(claims="judge"))

    for judge in (RULES, CASCADE):
        [problem] = judge_problems(judge, scorers)
        assert problem.path == "scorers.faithfulness.claims"
    assert not list(judge_problems(CHAT, scorers))


def test_only_a_judge_that_writes_can_give_a_reason() -> None:
    scorers = ScorersSettings(faithfulness=FaithfulnessSettings(include_reason=True))

    [problem] = judge_problems(RULES, scorers)

    assert problem.path == "scorers.faithfulness.include_reason"
    assert not list(judge_problems(CASCADE, scorers))


def test_a_cascade_names_each_judge_once() -> None:
    judge = JudgeSettings(cascade=("rules", "rules"))

    [problem] = judge_problems(judge, ScorersSettings())

    assert problem.path == "judge.cascade"


def test_a_name_that_stands_more_than_once_is_named() -> None:
    assert [problem.message for problem in twice("notify", ["a", "b", "a"])] == [
        "a stands 2 times: give each a name of its own"
    ]


IMPOSSIBLE = {
    "two sinks with one key": (
        "sinks: [{kind: phoenix, url: https://a.example}, {kind: phoenix, url: https://b.example}]",
        "sinks",
        "phoenix stands 2 times",
    ),
    "key and strata": (
        "sampling: {by: key, strata: [{name: a, when: {b: c}, probability: 1}]}\n"
        "intake: {assistant: shop/production}",
        "sampling.by",
        "strata",
    ),
    "key and no assistant": ("sampling: {by: key}", "sampling.by", "set intake.assistant"),
    "one topic for two things": ("topics: {dead: rag.scores}", "topics", "rag.scores stands 2"),
    "three segments": ("watch: {segments: [a, b, c]}", "watch.segments", "at most 2"),
    "one segment twice": ("watch: {segments: [a, a]}", "watch.segments", "a stands 2 times"),
    "minutes that close before rows are judged": (
        "watch: {lateness: 1m}",
        "watch.lateness",
        "judge.row_deadline",
    ),
    "a window of half a minute": ("watch: {windows: [30s]}", "watch.windows.0", "whole minutes"),
    "a window longer than what is kept": ("watch: {windows: [29d]}", "watch.windows.0", "28 days"),
    "an alert over more than is kept": (
        "alerts: [{name: a, kind: blind, window: 29d}]",
        "alerts.0.window",
        "28 days",
    ),
    "an alert on a segment that is not kept": (
        "alerts: [{name: a, kind: threshold, scorer: faithfulness, above: 0.1, by: model}]",
        "alerts.0.by",
        "watch.segments",
    ),
    "a burn that no rate can reach": (
        "alerts: [{name: a, kind: burn_rate, scorer: faithfulness, slo: 0.9, "
        "pairs: [{long: 1h, short: 5m, burn: 14.4}]}]",
        "alerts.0.pairs.0.burn",
        "above 144% bad answers",
    ),
    "a pair over half a minute": (
        "alerts: [{name: a, kind: burn_rate, scorer: faithfulness, "
        "pairs: [{long: 1h, short: 30s, burn: 5}]}]",
        "alerts.0.pairs.0.short",
        "whole minutes",
    ),
    "an alert on a scorer that is off": (
        "scorers: {faithfulness: null}",
        "alerts.0.scorer",
        "turn it on",
    ),
    "an alert on a scorer that is written wrongly": (
        "alerts: [{name: a, kind: threshold, scorer: faithfullness, above: 0.1}]",
        "alerts.0.scorer",
        "did you mean faithfulness?",
    ),
    "two alerts of one name": (
        "alerts: [{name: a, kind: blind}, {name: a, kind: traffic}]",
        "alerts",
        "a stands 2 times",
    ),
    "a chat judge without an address": ("judge: {kind: chat}", "judge.chat.url", "needs it"),
    "a budget for the rules judge": (
        "judge: {budget: {cost_per_day: 5}}",
        "judge.budget",
        "costs nothing",
    ),
    "a budget in dollars for a model without a price": (
        "judge: {kind: chat, chat: {url: 'https://judge.example/v1', model: m, "
        "price: {input_per_million: 1}}, budget: {cost_per_day: 5}}",
        "judge.chat.price",
        "cannot be counted",
    ),
    "a budget in dollars for reasons without a price": (
        "judge: {reasons: {url: 'https://judge.example/v1', model: m}, budget: {cost_per_day: 5}}",
        "judge.reasons.price",
        "cannot be counted",
    ),
    "a cascade without a model": (
        "judge: {kind: cascade, cascade: [rules, decisions]}",
        "judge.decisions.model",
        "needs it",
    ),
}


@pytest.mark.parametrize(("text", "path", "says"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_what_cannot_be_had_together_is_refused_with_the_way_out(
    text: str, path: str, says: str, write: Write
) -> None:
    said = problems(write(text))

    assert says in said[path]


def test_a_budget_of_calls_needs_no_price(write: Write) -> None:
    chat = "{url: 'https://judge.example/v1', model: m}"
    text = f"judge: {{kind: chat, chat: {chat}, budget: {{calls_per_hour: 100}}}}"

    assert load(write(text)).judge.budget.calls_per_hour == 100


def test_the_keys_of_a_scorer_that_is_off_are_not_looked_at(write: Write) -> None:
    assert load(write("scorers: {faithfulness: null}\nalerts: []")).scorers.faithfulness is None


def test_rows_made_of_spans_have_no_names_of_their_own(write: Write) -> None:
    text = "intake: {encoding: otlp_json, fields: {question: payload.text}}"

    assert problems(write(text)) == {
        "intake.fields": "rows made of spans have no other names: leave it out"
    }
    assert load(write(text.replace("otlp_json", "confluent"))).intake.encoding == "confluent"
