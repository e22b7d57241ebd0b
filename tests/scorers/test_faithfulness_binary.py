import pytest

from schemas.score import Failed, InvalidInput, NotScorable, Outcome, Scored, ScoringError
from scorers import examples
from scorers.contract import InvalidReplyError, Judgement, Statement
from scorers.faithfulness_binary import FaithfulnessBinary, statements
from scorers.parameters import ParameterError
from scorers.questions import Example, ScoreStatements
from tests.conformance.summary import summarise
from tests.fakes import ScriptedJudge, a_trace

QUESTION = statements(ScoreStatements("a", (), "q"), row="r")


def reply(*scores: object) -> dict[str, object]:
    return {"statements": [f"s{n}" for n in range(len(scores))], "statement_scores": list(scores)}


async def test_the_score_is_the_mean_and_is_not_rounded() -> None:
    outcome = await FaithfulnessBinary().score(a_trace(), ScriptedJudge([reply(1, 0, 0)]))

    assert isinstance(outcome, Scored)
    assert outcome.score == 1 / 3
    assert outcome.breakdown["statement_scores"] == [1, 0, 0]
    assert outcome.counts["unsure"] == 2


@pytest.mark.parametrize("score", [0.5, 5, -1, None, "yes", "1.0", [], "10"])
def test_a_score_that_is_neither_0_nor_1_is_refused(score: object) -> None:
    with pytest.raises(InvalidReplyError):
        QUESTION.read(reply(1, score))


@pytest.mark.parametrize(
    "wrong",
    [
        {"statements": ["a"], "statement_scores": [1, 0]},
        {"statements": ["a", "b"], "statement_scores": [1]},
        {"statements": [" "], "statement_scores": [1]},
        {"statements": ["a"], "statement_scores": 1},
        {"statements": ["a"]},
        {"statements": ["a"], "statement_scores": [1], "reasons": ["r", "r"]},
    ],
)
def test_lists_that_do_not_fit_each_other_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidReplyError):
        QUESTION.read(wrong)


async def test_undecided_statements_are_missing_data() -> None:
    judged = (Statement("a", Judgement("yes")), Statement("b", Judgement("undecided")))

    outcome = await FaithfulnessBinary().score(a_trace(), ScriptedJudge([judged]))

    assert isinstance(outcome, Scored)
    assert (outcome.score, outcome.counts["undecided"]) == (1.0, 1)


async def test_nothing_decided_is_no_score() -> None:
    judge = ScriptedJudge([(Statement("a", Judgement("undecided")),)])

    outcome = await FaithfulnessBinary().score(a_trace(), judge)

    assert isinstance(outcome, NotScorable)
    assert outcome.reason == "undecided"


async def test_a_blank_question_is_invalid_and_one_that_was_not_recorded_not_scorable() -> None:
    blank = a_trace().model_copy(update={"question": " "})
    missing = a_trace().model_copy(update={"question": None})

    assert await FaithfulnessBinary().score(blank, ScriptedJudge([])) == InvalidInput(
        reason="blank_question"
    )
    assert await FaithfulnessBinary().score(missing, ScriptedJudge([])) == NotScorable(
        reason="missing_question"
    )


async def test_the_judge_is_shown_all_three_kinds_of_example_unless_others_are_given() -> None:
    own: Example = {
        "inputs": {"question": "q", "contexts": [], "answer": "a"},
        "outputs": {"statements": ["a"], "statement_scores": [0]},
    }
    ours, theirs = ScriptedJudge([reply(1)]), ScriptedJudge([reply(1)])

    await FaithfulnessBinary().score(a_trace(), ours)
    await FaithfulnessBinary(examples=(own,)).score(a_trace(), theirs)

    assert isinstance(ours.asked[0].about, ScoreStatements)
    assert isinstance(theirs.asked[0].about, ScoreStatements)
    assert ours.asked[0].about.examples == examples.OURS
    assert theirs.asked[0].about.examples == (own,)


@pytest.mark.parametrize(
    "example",
    [
        "text",
        {},
        {"inputs": {"question": "q", "contexts": "c", "answer": "a"}, "outputs": {}},
        {
            "inputs": {"question": "q", "contexts": [], "answer": "a"},
            "outputs": {"statements": ["a"], "statement_scores": []},
        },
        {
            "inputs": {"question": "q", "contexts": [], "answer": "a"},
            "outputs": {"statements": ["a"], "statement_scores": [2]},
        },
        {
            "inputs": {"question": "q", "contexts": [], "answer": "a"},
            "outputs": {"statements": ["a"], "statement_scores": [True]},
        },
    ],
)
def test_an_example_that_is_no_worked_case_is_refused(example: object) -> None:
    with pytest.raises(ParameterError) as refused:
        FaithfulnessBinary(examples=(example,))  # type: ignore[arg-type]

    assert refused.value.name == "examples"


def test_our_own_examples_pass_the_check() -> None:
    examples.check(examples.OURS)


def test_examples_can_change_a_verdict_and_pass_at_cannot() -> None:
    assert FaithfulnessBinary(examples=examples.OURS).settings != FaithfulnessBinary().settings
    assert FaithfulnessBinary(pass_at=0.2).settings == FaithfulnessBinary().settings


def test_failed_rows_leave_the_mean_and_are_counted() -> None:
    outcomes: list[Outcome] = [
        Scored(score=1, normalized=1, label="supported"),
        Failed(error=ScoringError(kind="judge_failed", cause="timeout")),
        Scored(score=0, normalized=0, label="no_claims", flags=("no_claims",)),
        NotScorable(reason="missing_context"),
    ]

    summary = summarise(outcomes)

    assert (summary.mean, summary.scored, summary.failed, summary.no_claims) == (0.5, 2, 1, 1)
    assert summary.coverage == 2 / 3
    assert summary.scores == (1, None, 0, None)


def test_nothing_scored_is_no_value_and_no_zero() -> None:
    assert summarise([]).mean is None
    assert summarise([]).coverage is None


@pytest.mark.parametrize(("scores", "bad"), [((1, 1, 0), True), ((1, 1, 1), False), ((), False)])
async def test_too_few_supported_statements_are_bad_and_none_at_all_are_not(
    scores: tuple[int, ...], bad: bool
) -> None:
    outcome = await FaithfulnessBinary().score(a_trace(), ScriptedJudge([reply(*scores)]))

    assert isinstance(outcome, Scored)
    assert FaithfulnessBinary().bad(outcome) is bad
