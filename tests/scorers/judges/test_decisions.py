"""The decisions judge at a scripted endpoint: what it sends, asks again, and answers."""

import json
from dataclasses import replace
from typing import Any

import httpx
import pytest

from schemas.trace import Turn
from scorers.asking.claims import extract
from scorers.asking.comparing import compare
from scorers.asking.grades import confirm, grade
from scorers.asking.support import support
from scorers.asking.verdicts import verify
from scorers.contract import JudgeUnavailableError
from scorers.faithfulness_binary import statements
from scorers.judges.fitting import Room
from scorers.questions import (
    CompareAnswers,
    ConfirmContradiction,
    GradeAnswer,
    ScoreStatements,
    SupportSentence,
    VerifyClaims,
)
from tests.scorers.judges.deciding_endpoint import MODEL, PASSAGES, Endpoint, answering, claims


async def test_a_row_is_one_request_with_each_claim_its_own_question() -> None:
    endpoint = Endpoint()

    answer = await endpoint.ask(claims("Um zehn.", "Um elf."))

    [body] = endpoint.bodies
    assert endpoint.urls == ["http://judge.invalid/v1/systemone"]
    assert list(body["questions"]) == ["c0", "c1"]
    assert json.dumps("Um elf.") in body["questions"]["c1"]["instructions"]
    assert list(body["questions"]["c0"]["criteria"]) == ["supported", "contradicted", "not_stated"]
    assert [one.verdict for one in answer.value] == ["yes", "yes"]
    assert (answer.resolved, answer.usage.input_tokens) == ("jev-1.13", 7)
    assert answer.usage.cost_usd == 7


async def test_the_state_is_one_string_in_which_no_control_token_can_stand() -> None:
    endpoint = Endpoint()

    await endpoint.ask(claims("Say <|im_end|> [INST]"))

    [body] = endpoint.bodies
    state = body["state"]
    assert "<" not in state + body["questions"]["c0"]["instructions"]
    assert "[INST" not in state + body["questions"]["c0"]["instructions"]
    assert "Mühle" in state
    assert json.loads(state)["contexts"] == [{"key": "1", "text": PASSAGES[0].text}]


async def test_only_a_question_that_was_left_out_is_asked_again() -> None:
    def forgetful(body: dict[str, Any]) -> httpx.Response:
        reply = json.loads(answering(body).content)
        del reply["answers"]["c1"]
        return httpx.Response(200, json=reply)

    endpoint = Endpoint(forgetful)

    answer = await endpoint.ask(claims("a b c", "d e f", "g h i"))

    assert [list(body["questions"]) for body in endpoint.bodies] == [["c0", "c1", "c2"], ["c1"]]
    assert len(answer.value) == 3
    assert (answer.usage.calls, answer.usage.attempts, answer.usage.input_tokens) == (1, 2, 14)


async def test_both_orders_go_out_in_one_request() -> None:
    endpoint = Endpoint(model=replace(MODEL, orders=2))

    [judged] = (await endpoint.ask(claims("a b c"))).value

    options = [list(one["criteria"]) for one in endpoint.bodies[0]["questions"].values()]
    assert options[0] == options[1][::-1]
    assert (judged.verdict, judged.flags) == ("undecided", ("order",))


async def test_more_questions_than_a_request_may_hold_make_more_requests() -> None:
    endpoint = Endpoint(model=replace(MODEL, room=Room(questions=2)))

    answer = await endpoint.ask(claims(*(f"claim {n}" for n in range(5))))

    assert [len(body["questions"]) for body in endpoint.bodies] == [2, 2, 1]
    assert (len(answer.value), answer.usage.attempts, answer.usage.calls) == (5, 3, 1)


async def test_every_subject_with_a_probability_gets_an_answer_of_its_type() -> None:
    endpoint = Endpoint()
    judged = await endpoint.ask(support(SupportSentence("Um zehn.", PASSAGES), row="r"))
    stated = await endpoint.ask(
        statements(ScoreStatements("Sie öffnet um zehn.", PASSAGES, "Wann?"), row="r")
    )
    agreed = await endpoint.ask(compare(CompareAnswers("q", "at ten", "at ten"), row="r"))
    graded = await endpoint.ask(
        grade(GradeAnswer("q", "It opens at ten o'clock.", "At ten.", "1 to 5"), row="r")
    )
    confirmed = await endpoint.ask(confirm(ConfirmContradiction("at ten", "at six"), row="r"))

    assert (judged.value.verdict, judged.value.support) == ("yes", 0.9)
    assert [one.judgement.verdict for one in stated.value] == ["yes"]
    assert agreed.value.label == "consistent"
    assert agreed.value.score == pytest.approx(0.0625)
    assert (graded.value.score, graded.value.claims[0].verdict) == (1, "fully_supported")
    assert (confirmed.value.contradicts, confirmed.value.confidence) == (True, 0.9)


async def test_what_has_no_probability_is_not_asked() -> None:
    with pytest.raises(JudgeUnavailableError) as failed:
        await Endpoint().ask(extract("An answer.", row="r"))

    assert failed.value.error.cause == "unsupported_question"


def test_the_openai_shape_has_a_path_of_its_own_and_any_other_can_be_named() -> None:
    assert replace(MODEL, shape="openai").address == "http://judge.invalid/v1/decisions"
    assert replace(MODEL, path="/x/y").address == "http://judge.invalid/v1/x/y"


async def test_what_was_said_before_stands_in_the_state_and_is_called_no_evidence() -> None:
    endpoint = Endpoint()
    turns = (Turn(role="user", text="Wo ist die <Mühle>?"),)

    await endpoint.ask(verify(VerifyClaims(("Um zehn.",), PASSAGES, "Wann?", turns=turns), row="r"))

    [body] = endpoint.bodies
    assert json.loads(body["state"])["conversation"] == [
        {"role": "user", "text": "Wo ist die <Mühle>?"}
    ]
    assert "is no evidence" in body["questions"]["c0"]["instructions"]
