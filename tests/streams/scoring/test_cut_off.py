"""What a row cost of which something was cut off: all that was sent, and may be paid for."""

import asyncio
from datetime import timedelta

import httpx
from tenacity.wait import wait_none

from schemas.score import Failed, Scored, ScoringError
from scorers.citation_accuracy import CitationAccuracy
from scorers.contract import Judge
from scorers.faithfulness import Faithfulness
from scorers.judges.chat import ChatJudge, ChatModel
from scorers.judges.decision_client import DecisionsModel
from scorers.judges.decisions import DecisionsJudge
from scorers.judges.http import HttpClient
from scorers.judges.observed import ObservedJudge, nobody
from scorers.judges.pricing import Price
from scorers.judges.retrying import RetryingJudge
from streams.scoring.panel import Judged, Seat, open_gate
from streams.scoring.reasons import Reasons
from tests.fakes import CountingJudge, PlainScorer, a_trace
from tests.leaping import leaping

URL = "http://judge.invalid/v1"
PRICE = Price(input_per_million=1.0, output_per_million=1.0)


def endpoint(*replies: httpx.Response) -> HttpClient:
    """Return connections to where these are replied within a second, and then nothing."""
    left = list(replies)

    async def reply(request: httpx.Request) -> httpx.Response:
        if not left:
            await asyncio.Event().wait()
        found = left.pop(0)
        await asyncio.sleep(1)
        return found

    return HttpClient(timeout_seconds=900, transport=httpx.MockTransport(reply))


async def judged(judge: Judge, *, claims: int = 1) -> Judged:
    patient = RetryingJudge(ObservedJudge(judge, nobody), back_off=wait_none())
    answer = " ".join(f"Tower {n} is red." for n in range(claims))
    seat = Seat(Faithfulness(claims_per_call=1), patient, timedelta(seconds=60))
    row = await seat.judged(a_trace(answer))
    assert row.outcome == Failed(error=ScoringError(kind="deadline"))
    return row


def test_an_attempt_that_was_refused_and_one_that_was_cut_off_are_both_counted() -> None:
    async def work() -> None:
        usage = {"prompt_tokens": 5_000, "completion_tokens": 70}
        refused = httpx.Response(200, json={"choices": [{"message": {}}], "usage": usage})

        row = await judged(ChatJudge(ChatModel(URL, "m", price=PRICE), endpoint(refused)))

        assert (row.usage.calls, row.usage.attempts) == (1, 2)
        assert 5_000 + 100 < row.usage.input_tokens < 5_000 + 2_000
        assert row.usage.output_tokens == 70
        assert row.usage.cost_usd is not None

    leaping(work())


def test_a_request_for_probabilities_that_was_cut_off_is_counted_beside_the_answers() -> None:
    async def work() -> None:
        odds = {"supported": 0.9, "contradicted": 0.05, "not_stated": 0.05}
        answer = {"choice": "supported", "probabilities": odds}
        reply = {"answers": {"c0": answer}, "usage": {"input_tokens": 5_000}}
        client = endpoint(httpx.Response(200, json=reply))

        row = await judged(DecisionsJudge(DecisionsModel(URL, "m"), client), claims=2)

        assert (row.usage.calls, row.usage.attempts) == (2, 2)
        assert 5_000 + 50 < row.usage.input_tokens < 5_000 + 2_000

    leaping(work())


def test_a_request_is_counted_that_was_under_way_when_another_of_its_row_failed() -> None:
    async def work() -> None:
        judge = ChatJudge(ChatModel(URL, "m", price=PRICE), endpoint(httpx.Response(401)))
        seat = Seat(CitationAccuracy(), ObservedJudge(judge, nobody), timedelta(seconds=60))

        row = await seat.judged(a_trace("Paris is the capital [1]. Paris is in France [1]."))

        assert row.outcome == Failed(error=ScoringError(kind="judge_failed", cause="http_401"))
        assert (row.usage.calls, row.usage.attempts) == (2, 2)
        assert row.usage.cost_usd is not None

    leaping(work())


def test_a_reason_that_was_cut_off_is_counted_beside_the_verdict() -> None:
    async def work() -> None:
        why = ObservedJudge(ChatJudge(ChatModel(URL, "m", price=PRICE), endpoint()), nobody)
        reasons = Reasons(why, open_gate)
        judge = ObservedJudge(CountingJudge(), nobody)
        seat = Seat(PlainScorer(), judge, timedelta(seconds=60), reasons=reasons)

        row = await seat.judged(a_trace("Lyon is the capital of France."))

        assert isinstance(row.outcome, Scored)
        assert (row.usage.calls, row.usage.attempts) == (2, 2)
        assert row.usage.input_tokens > 50

    leaping(work())
