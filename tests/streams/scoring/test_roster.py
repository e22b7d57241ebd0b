"""Scorers made from settings, and what they refuse to be made with."""

import pytest

from scorers.consistency_settings import AssistantSettings
from scorers.settings import ScorersSettings
from streams.scoring.roster import roster, roster_problems

EVERY_ONE = {
    "faithfulness": {"claims": "judge", "include_reason": True},
    "faithfulness_binary": {},
    "citation_accuracy": {"in_flight": 2},
    "factual_consistency": {"responses_per_query": 4, "n_sut_retries": 1},
    "factual_accuracy": {"focus": "dates, names"},
}
ASSISTANT = AssistantSettings(url="https://host/ask", body={"q": "{query}"}, answer="said")


def on(**sections: object) -> ScorersSettings:
    off: dict[str, object] = dict.fromkeys(ScorersSettings.model_fields)
    return ScorersSettings.model_validate({**off, **sections})


def test_every_scorer_is_made_with_the_parameters_of_its_section() -> None:
    made = {scorer.name: scorer for scorer in roster(on(**EVERY_ONE), ("No idea.",))}

    assert set(made) == set(EVERY_ONE)
    assert made["faithfulness"].settings["claims"] == "judge"
    assert made["factual_consistency"].settings["responses_per_query"] == 4
    assert made["factual_accuracy"].settings["abstentions"] == ["No idea."]


def test_what_only_concerns_the_calls_changes_no_identity() -> None:
    quick = on(factual_consistency={"timeout": "5s", "concurrency_limit": 1, "n_sut_retries": 0})

    [one], [other] = roster(quick, ()), roster(on(factual_consistency={}), ())

    assert one.settings == other.settings


@pytest.mark.parametrize(
    ("sections", "path"),
    [
        ({"factual_accuracy": {"criteria": "good or bad"}}, "scorers.factual_accuracy.criteria"),
        ({"factual_accuracy": {"focus": "dates,,"}}, "scorers.factual_accuracy.focus"),
        ({"factual_accuracy": {"examples": [{}]}}, "scorers.factual_accuracy.examples"),
        ({"faithfulness_binary": {"examples": [{}]}}, "scorers.faithfulness_binary.examples"),
        ({"factual_consistency": {}}, "scorers.factual_consistency"),
    ],
)
def test_what_no_row_could_be_judged_by_is_refused_with_its_path(
    sections: dict[str, object], path: str
) -> None:
    assert [problem.path for problem in roster_problems(on(**sections), {})] == [path]


def test_an_assistant_whose_request_would_not_hold_the_question_is_refused() -> None:
    deaf = ASSISTANT.model_copy(update={"body": {"q": "hello"}})

    [problem] = roster_problems(on(), {"shop/production": deaf})

    assert problem.path == "assistants.shop/production.body"


def test_sound_settings_have_no_problem() -> None:
    assert not list(roster_problems(on(**EVERY_ONE), {"shop/production": ASSISTANT}))
