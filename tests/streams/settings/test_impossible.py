"""Pairs of settings that the loader cannot show yet, since one of the two is not served."""

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
