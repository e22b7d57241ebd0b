"""The score half as a whole, with a list for a topic and a judge that counts."""

import asyncio
from collections.abc import Sequence

import pytest

from schemas.score import Failed, Scored, ScoreEvent
from schemas.trace import RagTrace
from scorers.contract import Answer
from scorers.questions import Question
from streams.ports import Message, Record
from tests.fakes import (
    NOON,
    A,
    CountingJudge,
    ListSink,
    ListSource,
    a_record,
    a_trace,
)
from tests.streams.scored import rows, score, seat


def numbered(count: int) -> list[RagTrace]:
    return [a_trace(f"Paris {n}.", id=f"t-{n}") for n in range(count)]


async def test_a_sampled_row_becomes_one_event_of_each_scorer() -> None:
    source, judge = rows(a_trace()), CountingJudge()

    sink = await score(source, seat(judge), seat(judge, name="other"))

    assert {e.scorer.name for e in sink.scores} == {"plain", "other"}
    assert {e.sampling.probability for e in sink.scores} == {1.0}
    assert source.finished == [0]


async def test_an_event_says_who_judged_what_it_cost_and_where_the_row_lies() -> None:
    [event] = (await score(rows(a_trace("Lyon is.")), seat(CountingJudge()))).scores

    assert isinstance(event.outcome, Scored)
    assert event.outcome.bad
    assert (event.judge.name, event.usage.calls, event.usage.cost_usd) == ("counting", 1, 0.25)
    assert (event.origin.topic, event.origin.offset) == ("rag.traces", 0)
    assert ScoreEvent.model_validate_json(event.to_json()) == event


async def test_what_is_not_sampled_is_tallied_and_never_opened() -> None:
    source, judge = rows(*numbered(50)), CountingJudge()

    sink = await score(source, seat(judge), probability=1e-9)

    assert (judge.asked, source.finished) == ([], [])
    assert sum(t.strata["base"].seen for t in sink.tallies) == 50
    assert source.progress()[0].next == 50


async def test_tallies_are_written_before_the_end_of_their_block_is_sealed() -> None:
    class Witness(ListSink):
        async def publish(self, messages: Sequence[Message]) -> None:
            assert source.sealed == []
            await super().publish(messages)

    source = rows(*numbered(3))

    await score(source, seat(CountingJudge()), sink=Witness())

    assert source.sealed == [3]


async def test_an_unreadable_row_is_set_aside_and_the_flow_goes_on() -> None:
    source = rows(b"not json", a_trace())

    sink = await score(source, seat(CountingJudge()))

    [(record, rejection)] = sink.rejected
    assert (record.value, rejection.reason) == (b"not json", "not_json")
    assert len(sink.scores) == 1
    assert sorted(source.finished) == [0, 1]
    assert sum(t.rejected for t in sink.tallies) == 1


async def test_a_probe_of_our_own_is_counted_as_rejected_and_kept_nowhere() -> None:
    marked = a_record(a_trace())._replace(headers=(("baggage", b"streamgauge.probe=1"),))
    source, judge = ListSource([marked]), CountingJudge()

    sink = await score(source, seat(judge))

    assert (judge.asked, sink.scores, sink.rejected) == ([], [], [])
    assert [(tally.rejected, dict(tally.strata)) for tally in sink.tallies] == [(1, {})]
    assert source.finished == [0]


async def test_a_judge_that_cannot_be_had_is_an_error_and_not_a_zero() -> None:
    judge = CountingJudge(breaks_on={"Lyon is."})

    [event] = (await score(rows(a_trace("Lyon is.")), seat(judge))).scores

    assert isinstance(event.outcome, Failed)
    assert event.outcome.error.cause == "timeout"
    assert event.usage.attempts == 3


async def test_a_row_past_its_deadline_is_an_error_that_says_so() -> None:
    judge = CountingJudge(gate=asyncio.Event())

    [event] = (await score(rows(a_trace()), seat(judge, deadline=0.01))).scores

    assert isinstance(event.outcome, Failed)
    assert event.outcome.error.kind == "deadline"
    assert judge.now == 0


@pytest.mark.parametrize("probability", [1.0, 1e-9])
async def test_a_row_that_an_earlier_life_finished_is_tallied_as_it_was_drawn_then(
    probability: float,
) -> None:
    judge = CountingJudge()
    judged, passed = (a_record(row, n) for n, row in enumerate(numbered(2)))
    known = frozenset({seat(judge).event_id(numbered(1)[0])})
    source = ListSource(
        [judged._replace(finished=True, published=known), passed._replace(finished=True)]
    )

    sink = await score(source, seat(judge), probability=probability)

    assert judge.asked == []
    [tally] = sink.tallies
    assert tally.strata["base"].seen == 2
    assert tally.strata["base"].scorers["plain"].sampled == 1


async def test_a_published_verdict_counts_as_drawn_after_its_chance_was_lowered() -> None:
    judge, one = CountingJudge(), seat(CountingJudge())
    known = frozenset({one.event_id(a_trace())})
    source = ListSource([a_record(a_trace())._replace(published=known)])

    sink = await score(source, seat(judge), seat(judge, name="other"), probability=1e-9)

    assert (judge.asked, sink.scores) == ([], [])
    scorers = sink.tallies[0].strata["base"].scorers
    assert {name: found.sampled for name, found in scorers.items()} == {"plain": 1, "other": 0}


async def test_a_verdict_that_is_published_already_is_not_bought_again() -> None:
    judge, one = CountingJudge(), seat(CountingJudge())
    known = frozenset({one.event_id(a_trace())})
    source = ListSource([a_record(a_trace())._replace(published=known)])

    sink = await score(source, seat(judge), seat(judge, name="other"))

    assert [e.scorer.name for e in sink.scores] == ["other"]
    assert source.finished == [0]


async def test_a_broken_sink_stops_the_run_and_leaves_the_row_undone() -> None:
    class Broken(ListSink):
        async def publish(self, messages: object) -> None:
            raise ConnectionError("the log is gone")

    source = rows(a_trace())

    with pytest.raises(ExceptionGroup):
        await score(source, seat(CountingJudge()), sink=Broken())
    assert source.finished == []


async def test_no_more_rows_than_in_flight_are_worked_on_at_once() -> None:
    judge = CountingJudge()

    await score(rows(*numbered(20)), seat(judge), in_flight=3)

    assert judge.most == 3
    assert len(judge.asked) == 20


async def test_a_bug_in_a_scorer_is_not_mistaken_for_a_deadline() -> None:
    class Impatient(CountingJudge):
        async def ask(self, question: Question[A]) -> Answer[A]:
            raise TimeoutError("some wait of its own ran out")

    with pytest.raises(ExceptionGroup):
        await score(rows(a_trace()), seat(Impatient()))


async def test_the_last_mark_says_that_everything_is_finished() -> None:
    sink = await score(rows(*numbered(5)), seat(CountingJudge()))

    standing = sink.marks[-1].partitions[0]
    assert (standing.next, standing.end, standing.event_time) == (5, 5, NOON)


def test_a_time_out_that_is_changed_does_not_change_what_a_verdict_is_called() -> None:
    judge = CountingJudge()

    assert seat(judge, deadline=1).event_id(a_trace()) == seat(judge, deadline=9).event_id(
        a_trace()
    )


def test_a_record_without_an_id_is_named_after_its_place() -> None:
    one, other = (Record("rag.traces", 0, n, None, b"", 0) for n in (1, 2))

    assert one.row_id.startswith("row-")
    assert one.row_id != other.row_id
