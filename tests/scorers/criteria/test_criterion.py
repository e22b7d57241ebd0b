"""What an answer to a criterion is worth, and which criteria are refused."""

from typing import Any

import pytest

from schemas.identity import canonical
from schemas.score import NotScorable, Scored
from scorers.contract import InvalidReplyError
from scorers.criteria import MOST_OPTIONS, Criterion
from scorers.parameters import ParameterError
from scorers.questions import AnswerCriterion
from tests.fakes import ScriptedJudge, a_trace
from tests.scorers.criteria.tone import GOOD_OR_BAD, TONE, says, scored


async def test_a_good_answer_scores_1_and_is_named_by_the_label() -> None:
    outcome = await scored(says("so so"))

    assert (outcome.score, outcome.normalized, outcome.label) == (1, 1, "so so")
    assert outcome.counts == {"yes": 0, "so so": 1, "No": 0}
    assert not TONE.bad(outcome)


async def test_a_bad_answer_scores_0_with_its_reason() -> None:
    outcome = await scored(says(" no ", "It calls the reader a fool."))

    assert (outcome.score, outcome.label, outcome.reason) == (
        0,
        "No",
        "It calls the reader a fool.",
    )
    assert TONE.bad(outcome)
    assert outcome.breakdown["criterion"] == {
        "question": "Is the answer polite?",
        "answer": "No",
        "worth": "bad",
        "decided_by": "scripted",
        "flags": [],
        "reason": "It calls the reader a fool.",
    }


@pytest.mark.parametrize("answer", ["maybe", "nope", "no.", "", None, True, ["no"], 0])
async def test_an_answer_that_was_not_offered_is_refused(answer: object) -> None:
    with pytest.raises(InvalidReplyError):
        await TONE.score(a_trace(), says(answer))


async def test_the_judge_is_shown_the_answer_and_what_was_recorded_around_it() -> None:
    judge = says("yes")

    await TONE.score(a_trace("Get lost.", contexts=["A passage."]), judge)

    about = judge.asked[0].about
    assert isinstance(about, AnswerCriterion)
    assert (about.criterion, about.options) == ("Is the answer polite?", ("yes", "so so", "No"))
    assert (about.answer, about.question) == ("Get lost.", "What is the capital of France?")
    assert [piece.text for piece in about.evidence or ()] == ["A passage."]


@pytest.mark.parametrize(("contexts", "shown"), [(None, None), ([], ())])
async def test_contexts_that_were_not_recorded_are_told_from_none_found(
    contexts: list[str] | None, shown: object
) -> None:
    judge = says("yes")

    await TONE.score(a_trace(contexts=contexts), judge)

    assert getattr(judge.asked[0].about, "evidence", "none") == shown


async def test_an_empty_answer_is_neither_good_nor_bad_and_nobody_is_asked() -> None:
    assert await TONE.score(a_trace("  \n"), ScriptedJudge([])) == NotScorable(
        reason="empty_answer"
    )


async def test_a_refusal_to_answer_is_judged_like_any_other() -> None:
    outcome = await TONE.score(a_trace("No relevant evidence found."), says("No"))

    assert isinstance(outcome, Scored)
    assert TONE.bad(outcome)


def test_the_question_the_answers_and_their_order_are_the_identity() -> None:
    def identity(**change: Any) -> bytes:
        same: dict[str, Any] = {"name": "tone", "question": "Polite?", "answers": GOOD_OR_BAD}
        return canonical(dict(Criterion(**{**same, **change}).settings))

    assert identity() == identity()
    assert identity() != identity(question="Rude?")
    assert identity() != identity(answers={"yes": "bad", "so so": "good", "No": "bad"})
    assert identity() != identity(
        answers={option: GOOD_OR_BAD[option] for option in ("No", "so so", "yes")}
    )


REFUSED = {
    "a name that splits a key": ("name", {"name": "tone|mood"}),
    "a name with a break": ("name", {"name": "tone\n"}),
    "a long name": ("name", {"name": "t" * 65}),
    "no name": ("name", {"name": ""}),
    "a blank question": ("question", {"question": " \t"}),
    "only good answers": ("answers", {"answers": {"yes": "good", "no": "good"}}),
    "only bad answers": ("answers", {"answers": {"yes": "bad", "no": "bad"}}),
    "a third kind": ("answers", {"answers": {"yes": "good", "no": "bad", "?": "maybe"}}),
    "answers alike but for case": ("answers", {"answers": {"no": "good", "No": "bad"}}),
    "a blank answer": ("answers", {"answers": {" ": "good", "no": "bad"}}),
    "white space around": ("answers", {"answers": {"yes ": "good", "no": "bad"}}),
    "an answer in two lines": ("answers", {"answers": {"y\nes": "good", "no": "bad"}}),
    "too many": (
        "answers",
        {"answers": {str(n): "good" if n else "bad" for n in range(MOST_OPTIONS + 1)}},
    ),
}


@pytest.mark.parametrize(("parameter", "change"), REFUSED.values(), ids=REFUSED)
def test_what_could_not_be_asked_or_told_apart_is_refused(
    parameter: str, change: dict[str, Any]
) -> None:
    sound: dict[str, Any] = {"name": "tone", "question": "Polite?", "answers": GOOD_OR_BAD}

    with pytest.raises(ParameterError) as refused:
        Criterion(**{**sound, **change})

    assert refused.value.name == parameter
