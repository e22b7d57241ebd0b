"""What verdicts add up to, and which answers are bad."""

import pytest

from schemas.score import InvalidInput, NotScorable
from scorers.contract import Judgement, JudgeUnavailableError
from scorers.faithfulness import Faithfulness
from scorers.parameters import ParameterError
from tests.fakes import ScriptedJudge, a_trace, unavailable
from tests.scorers.faithfulness.rows import TWO, many, scored, verdicts


async def test_the_score_is_the_share_of_supported_claims() -> None:
    outcome = await scored(ScriptedJudge([verdicts("yes", "unsure")]))

    assert (outcome.score, outcome.normalized, outcome.label) == (0.5, 0.5, "unsupported")
    assert outcome.counts == {
        "claims": 2,
        "supported": 1,
        "contradicted": 0,
        "unsure": 1,
        "undecided": 0,
    }


async def test_an_unverifiable_answer_is_not_supported_because_nothing_contradicts_it() -> None:
    outcome = await scored(ScriptedJudge([verdicts("unsure", "unsure")]))

    assert outcome.score == 0


async def test_only_the_public_score_is_rounded() -> None:
    outcome = await scored(ScriptedJudge([verdicts(*["yes"] + ["no"] * 7)]), a_trace(many(8)))

    assert (outcome.score, outcome.normalized) == (0.13, 0.125)


async def test_the_scale_stretches_the_score_and_leaves_the_ratio() -> None:
    outcome = await scored(ScriptedJudge([verdicts("yes", "no")]), scale=5)

    assert (outcome.score, outcome.normalized) == (2.5, 0.5)


async def test_undecided_claims_leave_numerator_and_denominator() -> None:
    judged = (Judgement("yes", support=0.9), Judgement("undecided", support=0.4))

    outcome = await scored(ScriptedJudge([judged]))

    assert (outcome.score, outcome.counts["claims"], outcome.counts["undecided"]) == (1.0, 1, 1)
    assert outcome.support == 0.4


async def test_an_answer_with_nothing_decided_has_no_score_and_shows_its_claims() -> None:
    judge = ScriptedJudge([(Judgement("undecided", support=0.4), Judgement("undecided"))])

    outcome = await Faithfulness().score(a_trace(TWO), judge)

    assert isinstance(outcome, NotScorable)
    assert outcome.reason == "undecided"
    rows = (outcome.breakdown or {})["claims"]
    assert isinstance(rows, list)
    assert [row["support"] for row in rows if isinstance(row, dict)] == [0.4, None]


async def test_a_claim_shows_its_words_its_place_its_evidence_and_who_decided() -> None:
    reply = {
        "verdicts": [
            {"reason": "stated", "quote": "OPENS  at “ten”", "source": "1", "verdict": "Yes "}
        ]
    }
    trace = a_trace("  The mill opens at ten.", contexts=["The mill opens at ten."])

    outcome = await scored(ScriptedJudge([reply]), trace)

    assert outcome.breakdown["claims"] == [
        {
            "text": "The mill opens at ten.",
            "verdict": "yes",
            "support": None,
            "decided_by": "scripted",
            "evidence": {"key": "1", "quote": "OPENS  at “ten”"},
            "flags": [],
            "reason": "stated",
            "start": 2,
            "end": 24,
        }
    ]


@pytest.mark.parametrize("claims", ["judge", "sentences"])
async def test_an_empty_answer_scores_zero_without_a_call_and_is_nobodys_bad_answer(
    claims: str,
) -> None:
    outcome = await scored(ScriptedJudge([]), a_trace(" \n"), claims=claims)

    assert (outcome.score, outcome.label) == (0, "empty_answer")
    assert outcome.flags == ("empty_answer", "no_claims")
    assert not Faithfulness().bad(outcome)


async def test_an_answer_that_claims_nothing_scores_zero_and_is_set_apart() -> None:
    outcome = await scored(ScriptedJudge([{"claims": []}]), claims="judge")

    assert (outcome.score, outcome.label, outcome.flags) == (0, "no_claims", ("no_claims",))
    assert not Faithfulness().bad(outcome)


async def test_a_configured_refusal_is_flagged_and_never_bad() -> None:
    trace = a_trace("No relevant evidence found.")

    outcome = await scored(
        ScriptedJudge([{"claims": ["There is none."]}, verdicts("unsure")]), trace, claims="judge"
    )

    assert outcome.label == "abstained"
    assert not Faithfulness().bad(outcome)


async def test_a_missing_answer_is_invalid_before_anything_else() -> None:
    outcome = await Faithfulness().score(a_trace(None, contexts=None), ScriptedJudge([]))

    assert outcome == InvalidInput(reason="missing_answer")


async def test_a_verdict_that_cannot_be_had_is_the_end_of_the_row() -> None:
    judge = ScriptedJudge([verdicts("yes"), unavailable()])

    with pytest.raises(JudgeUnavailableError):
        await Faithfulness(claims_per_call=1).score(a_trace(TWO), judge)


@pytest.mark.parametrize(
    ("words", "bad"),
    [(("yes", "yes"), False), (("yes", "unsure"), True), (("yes",) * 9 + ("no",), True)],
)
async def test_an_answer_is_bad_with_a_contradiction_or_too_few_supported_claims(
    words: tuple[str, ...], bad: bool
) -> None:
    trace = a_trace(many(len(words)))

    outcome = await scored(ScriptedJudge([verdicts(*words)]), trace, claims_per_call=10)

    assert Faithfulness().bad(outcome) is bad


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("scale", 0),
        ("scale", float("inf")),
        ("pass_at", 1.1),
        ("claims_per_call", 0),
        ("claims", "words"),
        ("evidence", ()),
        ("evidence", ("contexts", "contexts")),
        ("evidence", ("contexts", "history")),
    ],
)
def test_a_parameter_out_of_its_bounds_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(ParameterError) as refused:
        Faithfulness(**{name: value})  # type: ignore[arg-type]

    assert refused.value.name == name


def test_pass_at_judges_nothing_again_and_is_no_setting() -> None:
    assert Faithfulness(pass_at=0.1).settings == Faithfulness(pass_at=0.9).settings
    assert Faithfulness(claims="judge").settings != Faithfulness().settings
