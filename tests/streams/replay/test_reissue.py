from datetime import timedelta

from schemas.score import SamplingRef, Scored, ScoreEvent, Usage
from schemas.wire import to_milliseconds
from streams.replay.reissue import reissued
from streams.scoring.draws import Draw
from streams.scoring.events import Sampled
from tests.fakes import NOON, a_record, a_trace
from tests.streams.watch.records import a_score, bad, good, undecided

TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"
LATER = NOON + timedelta(days=1)


def never(verdict: Scored) -> bool:
    return False


def again(event: ScoreEvent, *, offset: int = 7) -> ScoreEvent:
    trace = a_trace(minute=3)
    headers = (("traceparent", TRACEPARENT.encode()),)
    record = a_record(trace, offset, partition=2)._replace(headers=headers)
    row = Sampled(record, trace, Draw("helpdesk/production", "base", ()))
    drawn = SamplingRef(probability=0.5, stratum="vip", by="body")
    return reissued(event, row, run="r1", sampling=drawn, bad=never, at=LATER)


def test_a_verdict_keeps_who_gave_it_and_what_it_says() -> None:
    event = a_score(0, 0, undecided(), series="s9")

    found = again(event)

    same = ("event_id", "judge", "scorer", "series", "config_hash", "outcome", "attributes")
    assert all(getattr(found, name) == getattr(event, name) for name in same)


def test_it_is_this_runs_and_nothing_was_paid_for_it() -> None:
    paid = Usage(calls=2, attempts=3, input_tokens=9, cost_usd=0.5, seconds=1.0)
    event = a_score(0, 0).model_copy(update={"usage": paid})

    found = again(event)

    assert (found.mode, found.run, found.reused) == ("replay", "r1", True)
    assert found.usage == Usage(cost_usd=0.0)
    assert found.scored_at == LATER


def test_where_the_row_lies_and_how_it_was_drawn_are_this_rows() -> None:
    found = again(a_score(0, 0), offset=7)

    assert (found.origin.topic, found.origin.partition, found.origin.offset) == ("rag.traces", 2, 7)
    assert to_milliseconds(found.origin.timestamp) == to_milliseconds(NOON) + 180_000
    assert found.sampling == SamplingRef(probability=0.5, stratum="vip", by="body")
    assert found.traceparent == TRACEPARENT
    assert found.assistant == "helpdesk/production"
    assert found.trace.answered_at == NOON + timedelta(minutes=3)


def test_whether_it_is_bad_is_said_by_what_passes_today() -> None:
    assert again(a_score(0, 0, bad())).outcome == bad().model_copy(update={"bad": False})
    assert again(a_score(0, 0, good())).outcome == good()


def test_it_reads_back_as_it_was_made() -> None:
    found = again(a_score(0, 0))

    assert ScoreEvent.model_validate_json(found.to_json()) == found
