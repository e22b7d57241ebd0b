"""What a grade and its claims add up to, and which answers are bad."""

import pytest

from schemas.score import InvalidInput, NotScorable
from scorers.answers import Grade, GradedClaim
from scorers.contract import JudgeUnavailableError
from scorers.factual_accuracy import FactualAccuracy
from scorers.parameters import ParameterError
from scorers.questions import ConfirmContradiction, GradeAnswer
from tests.fakes import ScriptedJudge, unavailable
from tests.scorers.factual_accuracy.grades import (
    REFERENCE,
    a_claim,
    a_reply,
    a_row,
    outcome,
    scored,
)


@pytest.mark.parametrize(("score", "normalized"), [(1, 0.0), (3, 0.5), (5, 1.0)])
async def test_a_grade_keeps_its_scale_and_is_normalized_beside_it(
    score: int, normalized: float
) -> None:
    result = await scored(a_reply(score=score))

    assert (result.score, result.normalized, result.label) == (score, normalized, str(score))


async def test_a_neutral_claim_costs_no_precision() -> None:
    neutral = a_claim("unsupported", scope="out_of_reference_true")

    result = await scored(a_reply(a_claim(), a_claim("contradicted"), neutral))
    only_neutral = await scored(a_reply(neutral))

    assert result.breakdown["claim_precision"] == 0.5
    assert only_neutral.breakdown["claim_precision"] is None


async def test_recall_is_that_of_the_facts_that_were_asked_for() -> None:
    facts = [{"fact": "the year", "present": True}, {"fact": "the builder", "present": False}]

    result = await scored(a_reply(required_facts=facts))

    assert result.breakdown["fact_recall"] == 0.5
    assert (await scored(a_reply())).breakdown["fact_recall"] is None


@pytest.mark.parametrize(
    ("score", "verdict", "flagged"),
    [(5, "contradicted", True), (1, "fully_supported", True), (4, "contradicted", False)],
)
async def test_a_grade_against_its_claims_is_told_and_stands(
    score: int, verdict: str, flagged: bool
) -> None:
    result = await scored(a_reply(a_claim(verdict), score=score))

    assert result.score == score
    assert ("score_inconsistent" in result.flags) is flagged


async def test_a_claim_that_is_graded_twice_is_told() -> None:
    assert "duplicate_claims" in (await scored(a_reply(a_claim(), a_claim()))).flags


async def test_a_number_off_by_more_than_the_tolerance_is_told_and_changes_nothing() -> None:
    strict, lenient = await scored(a_reply()), await scored(a_reply(), numeric_tolerance=0.2)

    assert strict.breakdown["findings"] == [{"kind": "number", "text": "12", "near": "14"}]
    assert "number" in strict.flags
    assert lenient.breakdown["findings"] == []
    assert strict.score == lenient.score


async def test_an_empty_answer_gets_zero_which_no_judge_can_give() -> None:
    result = await scored(trace=a_row(" \n"))

    assert (result.score, result.normalized, result.label) == (0, 0, "empty_answer")
    assert result.reason == "no answer provided"
    assert not FactualAccuracy().bad(result)


async def test_without_an_answer_the_row_is_invalid_and_without_a_reference_not_scorable() -> None:
    assert await outcome(trace=a_row(None, None)) == InvalidInput(reason="missing_answer")
    assert await outcome(trace=a_row(reference=None)) == NotScorable(reason="missing_reference")
    assert await outcome(trace=a_row("", " ")) == NotScorable(reason="missing_reference")


async def test_the_configuration_reaches_the_judge() -> None:
    judge = ScriptedJudge([a_reply()])
    scorer = FactualAccuracy(criteria="0 to 1", focus="dates, names", tolerance_policy="about")

    await scorer.score(a_row(), judge)

    about = judge.asked[0].about
    assert isinstance(about, GradeAnswer)
    assert (about.criteria, about.focus) == ("0 to 1", ("dates", "names"))
    assert about.tolerance_policy == "about"


@pytest.mark.parametrize(
    ("said", "flag"),
    [
        ({"contradicts": True, "confidence": 0.96}, "contradiction_confirmed"),
        ({"contradicts": True, "confidence": 0.95}, "contradiction_unconfirmed"),
        ({"contradicts": False, "confidence": 1}, "contradiction_unconfirmed"),
        (unavailable(), "contradiction_unchecked"),
    ],
)
async def test_a_second_opinion_on_a_contradiction_is_told_and_changes_nothing(
    said: object, flag: str
) -> None:
    reply = a_reply(a_claim(), a_claim("contradicted"), score=3)

    result = await scored(reply, said, contradiction_check=True)

    assert result.score == 3
    assert flag in result.flags


async def test_second_opinions_are_asked_only_of_contradicted_claims() -> None:
    judge = ScriptedJudge([a_reply(a_claim(), a_claim("contradicted"), score=3), unavailable()])

    await FactualAccuracy(contradiction_check=True).score(a_row(), judge)

    assert [q.about for q in judge.asked[1:]] == [ConfirmContradiction("opened in 1874", REFERENCE)]


async def test_a_grade_that_cannot_be_had_is_the_end_of_the_row() -> None:
    with pytest.raises(JudgeUnavailableError):
        await outcome(unavailable())


async def test_a_judge_that_can_tell_no_grade_makes_the_row_undecided() -> None:
    result = await outcome(Grade(None, (GradedClaim("opened in 1874", None),)))

    assert isinstance(result, NotScorable)
    assert result.reason == "undecided"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("criteria", ""),
        ("criteria", "be fair"),
        ("focus", "dates,,names"),
        ("focus", " "),
        ("tolerance_policy", "  "),
        ("numeric_tolerance", -0.1),
        ("examples", ({"generated_answer": "x", "ground_truth_answer": "y"},)),
        ("examples", "x"),
        ("pass_at", 2),
    ],
)
def test_a_parameter_that_the_documents_refuse_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(ParameterError) as refused:
        FactualAccuracy(**{name: value})  # type: ignore[arg-type]

    assert refused.value.name == name


@pytest.mark.parametrize(("score", "bad"), [(2, True), (3, False)])
async def test_a_low_grade_is_bad(score: int, bad: bool) -> None:
    assert FactualAccuracy().bad(await scored(a_reply(score=score))) is bad


async def test_an_abstention_is_not_bad() -> None:
    refusal = "No relevant evidence found."
    claim = a_claim("unsupported", claim_text=refusal)

    result = await scored(a_reply(claim, score=1), trace=a_row(refusal))

    assert result.label == "abstained"
    assert not FactualAccuracy().bad(result)
