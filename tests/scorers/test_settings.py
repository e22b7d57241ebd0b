"""The scorers' settings: which are on, and that their defaults are the scorers' own."""

from dataclasses import MISSING, fields

import pytest
from pydantic import BaseModel, ValidationError

from scorers.citation_accuracy import CitationAccuracy
from scorers.consistency_settings import FactualConsistencySettings
from scorers.criterion_settings import CriterionSettings
from scorers.faithfulness import Faithfulness
from scorers.faithfulness_binary import FaithfulnessBinary
from scorers.judges.settings import ChatSettings, DecideAtSettings, JudgeSettings
from scorers.settings import (
    CitationAccuracySettings,
    FaithfulnessBinarySettings,
    FaithfulnessSettings,
    ScorersSettings,
)

ELSEWHERE = {"probability", "n_judge_retries"}
"""Keys of a scorer's section that its sampling and its judge are built with."""

OWNERS = [
    (FaithfulnessSettings, Faithfulness),
    (FaithfulnessBinarySettings, FaithfulnessBinary),
    (CitationAccuracySettings, CitationAccuracy),
]


@pytest.mark.parametrize(("section", "scorer"), OWNERS)
def test_a_scorer_and_its_section_have_the_same_parameters_and_defaults(
    section: type[BaseModel], scorer: type
) -> None:
    own = {one.name: one.default for one in fields(scorer) if one.default is not MISSING}
    keys = {
        name: field.default for name, field in section.model_fields.items() if name not in ELSEWHERE
    }

    assert keys == {name: own.get(name) for name in keys}


def test_two_scorers_are_on_by_default() -> None:
    assert ScorersSettings().on == ("faithfulness", "citation_accuracy")


def test_a_scorer_is_turned_on_by_an_empty_section() -> None:
    changed = ScorersSettings.model_validate({"factual_consistency": {}, "faithfulness": None})

    assert changed.on == ("citation_accuracy", "factual_consistency")


BOUNDS: dict[str, tuple[type[BaseModel], dict[str, object]]] = {
    "one response": (FactualConsistencySettings, {"responses_per_query": 1}),
    "nine responses": (FactualConsistencySettings, {"responses_per_query": 9}),
    "a hot assistant": (FactualConsistencySettings, {"sut_temperature": 2.1}),
    "six retries": (FactualConsistencySettings, {"n_sut_retries": 6}),
    "65 at one time": (FactualConsistencySettings, {"concurrency_limit": 65}),
    "no time": (FactualConsistencySettings, {"timeout": "0s"}),
    "an empty range": (FactualConsistencySettings, {"min": 1, "max": 1}),
    "an endless range": (FactualConsistencySettings, {"max": float("inf")}),
    "a threshold over 1": (CitationAccuracySettings, {"threshold": 1.1}),
    "words of none": (CitationAccuracySettings, {"min_words": 0}),
    "evidence of none": (FaithfulnessSettings, {"evidence": []}),
    "evidence twice": (FaithfulnessSettings, {"evidence": ["contexts", "contexts"]}),
    "one answer only": (
        CriterionSettings,
        {"name": "tone", "question": "Polite?", "answers": {"yes": "good"}},
    ),
    "a no that is a yes too": (DecideAtSettings, {"yes_no": 0.4}),
    "an empty cascade": (JudgeSettings, {"cascade": []}),
}


@pytest.mark.parametrize(("section", "values"), BOUNDS.values(), ids=BOUNDS)
def test_a_value_out_of_bounds_is_refused(
    section: type[BaseModel], values: dict[str, object]
) -> None:
    with pytest.raises(ValidationError):
        section.model_validate(values)


def test_history_may_be_evidence_among_all_of_it() -> None:
    section = FaithfulnessSettings(evidence=("contexts", "history"), all_evidence=True)

    assert section.evidence == ("contexts", "history")


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("https://me:sk-secret@host/v1", "keys stand in the environment alone"),
        ("https://host:port/v1", "is no address"),
        ("file:///etc/passwd", "begins with https"),
    ],
)
def test_an_address_that_is_none_or_holds_a_key_is_refused_without_being_quoted(
    url: str, says: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        ChatSettings(url=url)

    [error] = refused.value.errors(include_input=False)
    assert says in error["msg"]
    assert "sk-secret" not in error["msg"]
