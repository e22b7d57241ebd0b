"""What a sink counts of what goes through it."""

from datetime import timedelta

import pytest

from schemas.rejection import Rejection
from schemas.score import Failed, Scored, ScoringError, Usage
from streams.telemetry.capped import OTHER, Capped
from streams.telemetry.metered_sink import MeteredSink
from streams.telemetry.meters import Meters
from streams.telemetry.metrics import Metric
from tests.fakes import NOON, ListSink, a_record
from tests.streams.telemetry.exposed import labels, some_meters, values
from tests.streams.watch.records import SCORER, SHOP, a_score, a_tally, bad, good

HERE = labels(assistant=SHOP, scorer=SCORER)


def a_sink(*, most: int = 10) -> tuple[MeteredSink, ListSink, Meters]:
    made, inner = some_meters(), ListSink()
    return MeteredSink(inner, made, Capped(most)), inner, made


async def test_a_verdict_weighs_what_it_stands_for_and_a_bad_one_twice() -> None:
    sink, inner, made = a_sink()

    await sink.publish([a_score(0, 0, good(), probability=0.05)])
    await sink.publish([a_score(1, 0, bad(), probability=0.5)])

    assert len(inner.scores) == 2
    assert await values(made, Metric.SCORED) == {HERE: 2}
    assert await values(made, Metric.WEIGHT) == {HERE: 22}
    assert await values(made, Metric.BAD_WEIGHT) == {HERE: 2}


async def test_a_rate_of_no_bad_answer_is_nought_and_not_absent() -> None:
    sink, _, made = a_sink()

    await sink.publish([a_score(0, 0, good())])

    assert await values(made, Metric.BAD_WEIGHT) == {HERE: 0}


async def test_an_answer_that_cannot_be_bad_is_an_evaluation_and_has_no_weight() -> None:
    sink, _, made = a_sink()
    refusal = Scored(score=1.0, normalized=1.0, label="abstained", flags=("abstained",))

    await sink.publish([a_score(0, 0, refusal)])

    assert await values(made, Metric.EVALUATIONS) == {HERE | {("outcome", "scored")}: 1}
    assert await values(made, Metric.SCORED) == {}


async def test_an_error_is_counted_by_kind_and_cause_and_weighs_nothing() -> None:
    sink, _, made = a_sink()
    refused = Failed(error=ScoringError(kind="judge_failed", cause="rate_limited"))

    await sink.publish([a_score(0, 0, refused)])

    where = labels(scorer=SCORER, kind="judge_failed", cause="rate_limited")
    assert await values(made, Metric.ERRORS) == {where: 1}
    assert await values(made, Metric.WEIGHT) == {}


async def test_freshness_runs_from_the_answer_to_the_verdict() -> None:
    sink, _, made = a_sink()
    event = a_score(0, 0)

    late = event.trace.answered_at + timedelta(seconds=42)
    await sink.publish([event.model_copy(update={"scored_at": late})])

    assert await values(made, Metric.FRESHNESS, "_sum") == {HERE: 42}


async def test_a_replay_costs_and_is_no_live_traffic() -> None:
    sink, _, made = a_sink()
    event = a_score(0, 0, bad(), run="r1")
    usage = Usage(calls=2, attempts=3, input_tokens=10, output_tokens=4, cost_usd=0.5, seconds=1)

    await sink.publish(
        [event.model_copy(update={"usage": usage}), a_tally(0, rows=(0, 5), run="r1")]
    )

    who = labels(scorer=SCORER, judge="rules")
    assert await values(made, Metric.CALLS) == {who: 2}
    assert await values(made, Metric.ATTEMPTS) == {who: 3}
    assert await values(made, Metric.TOKENS) == {
        who | {("type", "input")}: 10,
        who | {("type", "output")}: 4,
    }
    assert await values(made, Metric.COST) == {who | {("assistant", SHOP)}: 0.5}
    assert await values(made, Metric.EVALUATIONS) == {}
    assert await values(made, Metric.SEEN) == {}


async def test_a_cost_that_is_not_known_is_not_nought() -> None:
    sink, _, made = a_sink()
    usage = Usage(calls=1, attempts=1)

    await sink.publish([a_score(0, 0).model_copy(update={"usage": usage})])

    assert await values(made, Metric.COST) == {}


async def test_tallies_tell_of_rows_and_of_the_probability_in_force() -> None:
    sink, _, made = a_sink()

    await sink.publish([a_tally(0, rows=(0, 100), sampled=5, shed=2, rejected=1)])
    made.show(sink.samples())

    assert await values(made, Metric.SEEN) == {labels(assistant=SHOP): 101}
    assert await values(made, Metric.SHED) == {labels(assistant=SHOP): 2}
    assert await values(made, Metric.SAMPLED) == {HERE: 5}
    assert await values(made, Metric.PROBABILITY) == {HERE | {("stratum", "base")}: 1}


async def test_a_dead_letter_is_counted_by_its_reason_once_it_is_written() -> None:
    sink, inner, made = a_sink()

    await sink.reject(a_record(b"x"), Rejection(reason="not_json", detail=""), at=NOON)

    assert len(inner.rejected) == 1
    assert await values(made, Metric.DEAD) == {labels(reason="not_json"): 1}


async def test_what_could_not_be_written_is_not_counted() -> None:
    class Refusing(ListSink):
        async def publish(self, messages: object) -> None:
            raise OSError("full")

    made = some_meters()

    with pytest.raises(OSError, match="full"):
        await MeteredSink(Refusing(), made, Capped(9)).publish([a_score(0, 0)])

    assert await values(made, Metric.EVALUATIONS) == {}


async def test_assistants_without_number_share_a_series() -> None:
    sink, _, made = a_sink(most=1)

    for number in range(5):
        await sink.publish([a_score(number, 0, assistant=f"shop-{number}/production")])

    found = await values(made, Metric.SCORED)
    first, rest = (
        labels(assistant="shop-0/production", scorer=SCORER),
        labels(assistant=OTHER, scorer=SCORER),
    )
    assert found == {first: 1, rest: 4}
