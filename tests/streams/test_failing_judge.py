"""Many rows at a judge that fails in every way at once: no number comes of it, no slot goes."""

import math
from collections import Counter
from datetime import timedelta
from random import Random

import httpx
from tenacity.wait import wait_none

from schemas.score import Failed, Scored
from scorers.faithfulness import Faithfulness
from scorers.judges.bounded import BoundedJudge, Limits
from scorers.judges.chat import ChatJudge, ChatModel
from scorers.judges.concurrency import Concurrency
from scorers.judges.http import HttpClient
from scorers.judges.retrying import RetryingJudge
from streams.intake.decode import Intake
from streams.pipeline import Scoring, run
from streams.scoring.books import Books
from streams.scoring.events import Scorecard
from streams.scoring.panel import Seat
from streams.scoring.sampling import BodySampler
from streams.scoring.tallying import Tallying
from tests.fakes import NOON, ListSink, ListSource, a_record, a_trace, no_beats
from tests.judge_server import completion

ROWS = 2_000
VERDICT = {"verdicts": [{"id": 1, "reason": "so", "verdict": "yes"}]}


def misbehave(dice: Random) -> httpx.Response:
    """Fail in one of the ways that an endpoint knows, or answer."""
    way = dice.choice(["status", "break", "garbage", "score", "cut", "empty", "good"])
    if way == "status":
        return httpx.Response(dice.choice([400, 408, 413, 422, 429, 500, 503, 529]), text="no")
    if way == "break":
        raise dice.choice([httpx.ReadTimeout, httpx.ConnectError, httpx.PoolTimeout])("broken")
    if way == "garbage":
        bodies = [b"<html>", b"", b"[1]", b'{"choices": [', b"\xff\xfe", b"NaN", b"{}" * 2]
        return httpx.Response(200, content=dice.choice(bodies))
    if way == "score":
        odd = dice.choice(["4/5", "7", "-1", "NaN", "1e999", "true", "null", "9" * 400])
        return httpx.Response(200, text=completion(f'{{"verdicts": [{{"verdict": {odd}}}]}}'))
    if way == "cut":
        return httpx.Response(200, text=completion(None, finish="length"))
    return httpx.Response(200, text=completion("" if way == "empty" else VERDICT))


async def test_every_row_ends_as_a_verdict_or_a_named_error_and_no_slot_is_lost() -> None:
    dice = Random(7)
    client = HttpClient(
        timeout_seconds=5,
        in_flight=32,
        transport=httpx.MockTransport(lambda _: misbehave(dice)),
    )
    limits = Limits(Concurrency(32))
    model = ChatModel("http://judge.invalid/v1", "m")
    judge = RetryingJudge(BoundedJudge(ChatJudge(model, client), limits), back_off=wait_none())
    seats = {"faithfulness": Seat(Faithfulness(), judge, timedelta(seconds=60))}
    rows = [a_record(a_trace(f"Paris has {n} towers.", id=f"t-{n}"), n) for n in range(ROWS)]
    source, sink, intake = ListSource(rows), ListSink(), Intake()
    sampler = BodySampler("salt", 1.0, [], dict.fromkeys(seats), intake.head)
    scoring = Scoring(
        sampler=sampler,
        decode=intake.decode,
        panel=seats,
        scorecard=Scorecard("body", "claims"),
        sink=sink,
        books=Books(Tallying(sampler.chances, lambda: NOON), source, sink, "worker"),
        clock=lambda: NOON,
    )

    await run(source, scoring, beats=no_beats(), clock=lambda: NOON, in_flight=64)

    outcomes = [event.outcome for event in sink.scores]
    scored = [one for one in outcomes if isinstance(one, Scored)]
    causes = Counter(one.error.cause for one in outcomes if isinstance(one, Failed))
    assert len(scored) + causes.total() == ROWS
    assert {one.normalized for one in scored} == {1.0}
    assert all(math.isfinite(event.usage.seconds) for event in sink.scores)
    assert {"timeout", "connection", "rate_limited", "invalid_output", "truncated"} < set(causes)
    assert {"empty_response", "http_400", "http_413", "http_422", "http_500"} < set(causes)
    assert None not in causes
    assert (limits.slots.taken, sorted(source.finished)) == (0, list(range(ROWS)))
