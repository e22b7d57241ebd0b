"""Requests to judges' models, counted as OpenTelemetry counts those of any client."""

import pytest

from schemas.score import ScoringError, Usage
from scorers.contract import JudgeIdentity, JudgeUnavailableError
from scorers.judges.observed import Call, ObservedJudge
from scorers.questions import Question, VerifyClaims
from streams.telemetry.calls import CallMeter
from streams.telemetry.metrics import Metric
from tests.fakes import CountingJudge, ScriptedJudge
from tests.streams.telemetry.exposed import labels, some_meters, values

QUESTION = Question(VerifyClaims(("Paris.",), ()), lambda reply: reply, "t-1")
WHO = {"gen_ai_operation_name": "chat", "gen_ai_provider_name": "openai"}


async def test_each_request_is_heard_of_once() -> None:
    heard: list[Call] = []
    judge = ObservedJudge(CountingJudge(), heard.append)

    await judge.ask(QUESTION)

    assert heard == [Call("counting", None, Usage(calls=1, attempts=1, cost_usd=0.25))]


async def test_a_request_that_fails_is_heard_of_with_its_cause_and_fails_as_it_did() -> None:
    heard: list[Call] = []
    error = ScoringError(kind="judge_failed", cause="http_503")
    spent = Usage(calls=1, attempts=1, seconds=0.5)
    judge = ObservedJudge(ScriptedJudge([JudgeUnavailableError(error, spent)]), heard.append)

    with pytest.raises(JudgeUnavailableError, match="http_503"):
        await judge.ask(QUESTION)

    assert heard == [Call("scripted", None, spent, error="http_503")]


async def test_a_question_that_was_never_sent_is_no_request() -> None:
    heard: list[Call] = []
    error = JudgeUnavailableError(ScoringError(kind="judge_failed", cause="unsupported_question"))

    with pytest.raises(JudgeUnavailableError):
        await ObservedJudge(ScriptedJudge([error]), heard.append).ask(QUESTION)

    assert heard == []


def test_it_is_who_the_judge_inside_is() -> None:
    judge = CountingJudge(identity=JudgeIdentity("chat", "2", "m"))

    assert ObservedJudge(judge, lambda call: None).identity == judge.identity


async def test_the_time_and_the_tokens_of_a_request_are_entered() -> None:
    made = some_meters()
    usage = Usage(calls=1, attempts=1, input_tokens=900, output_tokens=80, seconds=0.5)

    CallMeter(made)(Call("chat", "judge-x", usage, "judge-x-10"))

    model = {"gen_ai_request_model": "judge-x", "gen_ai_response_model": "judge-x-10"}
    who = WHO | model
    assert await values(made, Metric.CALL_SECONDS, "_sum") == {labels(**who): 0.5}
    assert await values(made, Metric.CALL_TOKENS, "_sum") == {
        labels(**who | {"gen_ai_token_type": "input"}): 900,
        labels(**who | {"gen_ai_token_type": "output"}): 80,
    }


async def test_a_request_that_failed_has_an_error_and_a_time_and_no_tokens() -> None:
    made = some_meters()

    CallMeter(made)(Call("chat", "m", Usage(calls=1, attempts=1, seconds=2), error="timeout"))

    where = labels(**WHO, gen_ai_request_model="m", error_type="timeout")
    assert await values(made, Metric.CALL_SECONDS, "_count") == {where: 1}
    assert await values(made, Metric.CALL_TOKENS, "_count") == {}


async def test_both_kinds_of_requests_stand_side_by_side() -> None:
    made, usage = some_meters(), Usage(calls=1, attempts=1, seconds=1)

    CallMeter(made)(Call("chat", "m", usage, "m"))
    CallMeter(made)(Call("chat", "m", usage, error="timeout"))

    assert sum((await values(made, Metric.CALL_SECONDS, "_count")).values()) == 2
