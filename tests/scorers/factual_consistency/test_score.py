"""What comparisons add up to, how they are read, and which answers are bad."""

import pytest

from schemas.score import NotScorable
from scorers.answers import Comparison
from scorers.asking.comparing import Scale
from scorers.contract import InvalidReplyError, JudgeUnavailableError
from scorers.factual_consistency import FactualConsistency
from scorers.parameters import ParameterError
from scorers.templates import Template
from tests.fakes import ScriptedJudge, unavailable
from tests.scorers.factual_consistency.asked_again import (
    QUESTION,
    ScriptedAssistant,
    outcome,
    says,
    scored,
)


async def test_the_score_is_the_mean_and_never_made_of_the_labels() -> None:
    result = await scored(ScriptedJudge([says("Consistent", 1.0), says("Contradictory", 0.4)]))

    assert result.score == pytest.approx(0.7)
    assert result.label == "contradictory"
    assert result.counts == {
        "judged": 2,
        "failed": 0,
        "consistent": 1,
        "slightly_inconsistent": 0,
        "contradictory": 1,
    }


async def test_a_comparison_that_fails_is_left_out_and_counted() -> None:
    result = await scored(ScriptedJudge([unavailable(), says("Consistent", 0.9)]))

    assert (result.score, result.counts["failed"]) == (0.9, 1)
    assert "partial" in result.flags


async def test_comparisons_that_all_fail_are_an_error_and_no_zero() -> None:
    with pytest.raises(JudgeUnavailableError) as failed:
        await outcome(ScriptedJudge([unavailable(), unavailable("http_503")]))

    assert failed.value.error.kind == "all_comparisons_failed"


@pytest.mark.parametrize(
    ("label", "score", "flagged"),
    [("Consistent", 0.1, True), ("Contradictory", 0.9, True), ("Contradictory", 0.4, False)],
)
async def test_a_label_against_its_score_is_told_and_changes_neither(
    label: str, score: float, flagged: bool
) -> None:
    judge = ScriptedJudge([says(label, score)])

    result = await scored(judge, assistant=ScriptedAssistant(["x"]), responses_per_query=2)

    assert result.score == score
    assert ("label_mismatch" in result.flags) is flagged


@pytest.mark.parametrize(
    "label",
    [
        "Slightly Inconsistent",
        "slightly_inconsistent",
        " SLIGHTLY-inconsistent",
        "slightlyinconsistent",
    ],
)
def test_labels_are_known_by_their_letters(label: str) -> None:
    assert QUESTION.read(says(label, 0.5)).label == "slightly_inconsistent"


@pytest.mark.parametrize(
    "reply",
    [
        says("Mostly fine", 0.8),
        says("inconsistent", 0.8),
        says("Consistent", 1.4),
        says("Consistent", True),
        {"label": "Consistent", "score": "0.9"},
        {"label": "Consistent"},
        {"score": 0.9},
        {"label": None, "score": 0.9},
    ],
)
def test_a_label_or_score_outside_what_was_asked_for_is_refused(reply: dict[str, object]) -> None:
    with pytest.raises(InvalidReplyError):
        QUESTION.read(reply)


async def test_a_judge_that_can_tell_nothing_makes_the_row_undecided() -> None:
    result = await outcome(ScriptedJudge([Comparison(None, 0.5), Comparison(None, None)]))

    assert isinstance(result, NotScorable)
    assert result.reason == "undecided"


@pytest.mark.parametrize(
    ("scale", "normalized"),
    [
        (Scale(), 0.4),
        (Scale(inverted=True), 0.6),
        (Scale(0, 2), 0.2),
        (Scale(0.5, 1), 0.0),
    ],
)
def test_the_scale_says_where_a_score_lies(scale: Scale, normalized: float) -> None:
    assert scale.normalized(0.4) == pytest.approx(normalized)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("responses_per_query", 1),
        ("responses_per_query", 9),
        ("responses_per_query", 2.5),
        ("sut_temperature", -0.1),
        ("sut_temperature", 2.1),
        ("min", 1.0),
        ("max", float("nan")),
        ("weight", 0),
        ("pass_at", -1),
        ("templates", ()),
    ],
)
def test_a_parameter_out_of_its_bounds_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(ParameterError) as refused:
        FactualConsistency(**{name: value})  # type: ignore[arg-type]

    assert refused.value.name == name


def test_what_only_shows_the_figure_judges_nothing_again() -> None:
    plain = FactualConsistency()

    assert (
        FactualConsistency(weight=3, metric_name="stable", pass_at=0.1).settings == plain.settings
    )
    assert FactualConsistency(templates=(Template("x-1", "{query}"),)).settings != plain.settings


@pytest.mark.parametrize(("pass_at", "bad"), [(0.6, True), (0.5, False)])
async def test_a_low_agreement_is_bad(pass_at: float, bad: bool) -> None:
    judge = ScriptedJudge([says("Consistent", 0.5)] * 2)

    assert FactualConsistency(pass_at=pass_at).bad(await scored(judge)) is bad
