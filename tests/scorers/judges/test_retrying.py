import asyncio

import pytest
from tenacity.wait import wait_fixed, wait_none

from schemas.score import ScoringError, Usage
from scorers.asking.claims import extract
from scorers.asking.verdicts import verify
from scorers.contract import (
    Answer,
    InvalidReplyError,
    JudgeIdentity,
    JudgeUnavailableError,
)
from scorers.judges.limited import LimitedJudge, slots
from scorers.judges.retrying import A, RetryingJudge
from scorers.parameters import ParameterError
from scorers.questions import Question, VerifyClaims
from tests.fakes import ScriptedJudge, unavailable

QUESTION = extract("An answer.", row="r")
GOOD: dict[str, object] = {"claims": ["a"]}
BAD: dict[str, object] = {"claims": "a"}


def retrying(*replies: object, retries: int = 2) -> tuple[RetryingJudge, ScriptedJudge]:
    inside = ScriptedJudge(list(replies))
    return RetryingJudge(inside, retries=retries, back_off=wait_none()), inside


@pytest.mark.parametrize(
    "cause",
    [
        "timeout",
        "connection",
        "rate_limited",
        "empty_response",
        "truncated",
        "http_408",
        "http_500",
        "http_503",
        "http_529",
    ],
)
async def test_what_may_go_better_is_tried_again(cause: str) -> None:
    judge, inside = retrying(unavailable(cause), GOOD)

    assert (await judge.ask(QUESTION)).value == ("a",)
    assert len(inside.asked) == 2


@pytest.mark.parametrize("cause", ["http_400", "http_401", "http_403", "http_404", "http_302"])
async def test_what_will_not_go_better_is_tried_once(cause: str) -> None:
    judge, inside = retrying(unavailable(cause), GOOD)

    with pytest.raises(JudgeUnavailableError):
        await judge.ask(QUESTION)

    assert len(inside.asked) == 1


async def test_a_bug_of_ours_is_no_failure_of_the_judge_and_is_not_retried() -> None:
    judge, inside = retrying(KeyError("claims"), GOOD)

    with pytest.raises(KeyError):
        await judge.ask(QUESTION)

    assert len(inside.asked) == 1


async def test_invalid_replies_and_failed_transports_share_one_budget() -> None:
    judge, inside = retrying(BAD, unavailable(), BAD, GOOD)

    with pytest.raises(InvalidReplyError):
        await judge.ask(QUESTION)

    assert len(inside.asked) == 3


async def test_the_judge_is_told_what_was_wrong_with_its_reply() -> None:
    judge, inside = retrying(BAD, GOOD)

    await judge.ask(QUESTION)

    assert [question.wrong for question in inside.asked] == [None, "claims must be a list"]


async def test_a_reply_that_was_cut_off_gets_more_room() -> None:
    judge, inside = retrying(unavailable("truncated"), unavailable("truncated"), GOOD)

    await judge.ask(QUESTION)

    assert [question.room for question in inside.asked] == [1, 2, 4]


async def test_only_what_a_reply_left_out_is_asked_for_again() -> None:
    about = VerifyClaims(("a", "b"), ())
    judge, inside = retrying(
        {"verdicts": [{"id": 2, "verdict": "no"}]}, {"verdicts": [{"id": 1, "verdict": "yes"}]}
    )

    answer = await judge.ask(verify(about, row="r"))

    assert [judgement.verdict for judgement in answer.value] == ["yes", "no"]
    again = inside.asked[1].about
    assert isinstance(again, VerifyClaims)
    assert again.claims == ("a",)


async def test_the_cost_is_that_of_all_attempts_at_one_question() -> None:
    failed = unavailable()
    failed.usage = Usage(calls=1, attempts=1, input_tokens=10)
    judge, _ = retrying(failed, GOOD)

    usage = (await judge.ask(QUESTION)).usage

    assert (usage.calls, usage.attempts, usage.input_tokens) == (1, 2, 10)


async def test_an_error_carries_what_all_attempts_cost() -> None:
    costly = [
        JudgeUnavailableError(
            ScoringError(kind="judge_failed", cause="timeout"),
            Usage(calls=1, attempts=1, input_tokens=10),
        )
        for _ in range(3)
    ]
    judge, _ = retrying(*costly)

    with pytest.raises(JudgeUnavailableError) as failed:
        await judge.ask(QUESTION)

    usage = failed.value.usage
    assert (usage.calls, usage.attempts, usage.input_tokens) == (1, 3, 30)


@pytest.mark.parametrize("retries", [-1, 6, 1.5, True])
def test_a_budget_out_of_range_is_refused(retries: int) -> None:
    with pytest.raises(ParameterError) as refused:
        RetryingJudge(ScriptedJudge([]), retries=retries)

    assert refused.value.name == "n_judge_retries"


async def test_the_wait_that_the_other_side_asks_for_is_kept() -> None:
    error = unavailable("rate_limited")
    error.retry_after_seconds = 0.05
    judge, _ = retrying(error, GOOD)
    loop = asyncio.get_running_loop()
    started = loop.time()

    await judge.ask(QUESTION)

    assert loop.time() - started >= 0.05


class Gate:
    """Fails its first question, and counts how many it works on at one time."""

    identity = JudgeIdentity("gate", "1")

    def __init__(self) -> None:
        self.order: list[str] = []
        self.now = 0
        self.most = 0

    async def ask(self, question: Question[A]) -> Answer[A]:
        self.order.append(question.row)
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        self.now -= 1
        if len(self.order) == 1:
            raise unavailable("http_503")
        return Answer(question.read(GOOD))


async def test_a_question_that_waits_to_be_asked_again_holds_no_slot() -> None:
    gate = Gate()
    judge = RetryingJudge(LimitedJudge(gate, slots(1)), back_off=wait_fixed(0.01))

    await asyncio.gather(*(judge.ask(extract("x", row=row)) for row in ("failing", "good")))

    assert gate.order == ["failing", "good", "failing"]
    assert gate.most == 1


async def test_no_more_questions_than_slots_are_asked_at_once() -> None:
    gate = Gate()
    judge = RetryingJudge(LimitedJudge(gate, slots(3)), back_off=wait_none())

    await asyncio.gather(*(judge.ask(QUESTION) for _ in range(12)))

    assert gate.most == 3


@pytest.mark.parametrize("at_once", [0, 65])
def test_a_limit_out_of_range_is_refused(at_once: int) -> None:
    with pytest.raises(ParameterError) as refused:
        slots(at_once)

    assert refused.value.name == "concurrency_limit"
