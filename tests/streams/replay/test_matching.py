"""Which verdicts of two sides are on the same row."""

from collections.abc import Sequence

from schemas.score import ScoreEvent
from streams.address import ORIGIN, Topics, letter
from streams.ports import Record
from streams.replay.matching import Matched, matched
from streams.replay.sides import Side, covered, everything
from tests.streams.replay.two_sides import a_run, an_event
from tests.streams.watch.records import a_tally


def a_side(run: str | None, events: Sequence[ScoreEvent], *, covers: object = None) -> Side:
    """Return a side that has read events as they lie on the scores topic."""
    side = Side(run, covered([a_run("other", end=100)]) if covers else everything)
    for offset, event in enumerate(events):
        sent = letter(event, Topics())
        record = Record(sent.topic, 0, offset, sent.key, sent.value, 0, sent.headers)
        side.take(record, dict(sent.headers))
    return side


def pairing(before: Sequence[ScoreEvent], after: Sequence[ScoreEvent]) -> Matched:
    return matched(a_side(None, before), a_side("r1", after))


def scores(found: Matched) -> list[tuple[float | None, float | None]]:
    return [(pair.before.score, pair.after.score) for pair in found.pairs]


def test_the_same_event_is_the_same_row_and_another_configuration_is_found_by_where_it_lies() -> (
    None
):
    before = [an_event(1, 0.1), an_event(2, 0.2), an_event(3, 0.3)]
    after = [an_event(2, 0.7, run="r1", config="c2"), an_event(1, 0.9, run="r1")]

    found = pairing(before, after)

    assert sorted(scores(found)) == [(0.1, 0.9), (0.2, 0.7)]
    assert (found.only_before.total(), found.only_after.total()) == (1, 0)


def test_the_first_event_of_an_id_counts() -> None:
    found = pairing(
        [an_event(1, 0.1), an_event(1, 0.5)], [an_event(1, 0.9, run="r1"), an_event(1, run="r1")]
    )

    assert scores(found) == [(0.1, 0.9)]


def test_a_row_that_came_twice_is_found_by_either_place() -> None:
    """Live saw it at 1 and again at 5; the run, which judges otherwise, at 5 alone."""
    before = [an_event(1, 0.1), an_event(1, 0.1, offset=5)]

    found = pairing(before, [an_event(1, 0.9, run="r1", config="c2", offset=5)])

    assert scores(found) == [(0.1, 0.9)]


def test_a_trace_that_was_answered_anew_is_no_pair_of_its_first_answer() -> None:
    first, anew = an_event(1, 0.1, offset=1), an_event(1, 0.9, run="r1", config="c2", offset=9)

    found = pairing([first], [anew])

    assert found.pairs == []
    assert (found.only_before.total(), found.only_after.total()) == (1, 1)


def test_another_trace_at_the_same_place_is_another_row() -> None:
    """A topic that was made anew begins at 0 again."""
    found = pairing(
        [an_event(1, trace_id="old")], [an_event(1, run="r1", config="c2", trace_id="new")]
    )

    assert found.pairs == []


def test_rows_of_a_file_are_found_by_their_traces_alone() -> None:
    before = [an_event(1, 0.1), an_event(2, 0.2, event_id="other content")]
    after = [
        an_event(1, 0.9, run="r1", config="c2", topic="rows.jsonl", offset=40),
        an_event(2, 0.8, run="r1", topic="rows.jsonl", offset=41),
    ]

    found = pairing(before, after)

    assert scores(found) == [(0.1, 0.9)]
    assert found.only_after.total() == 1


def test_each_verdict_is_in_one_pair_at_most() -> None:
    before = [an_event(1, 0.1)]
    after = [an_event(1, 0.8, run="r1", config="c2"), an_event(1, 0.9, run="r1", config="c3")]

    found = pairing(before, after)

    assert scores(found) == [(0.1, 0.8)]
    assert found.only_after == {"faithfulness": 1}


def test_rows_that_the_other_side_does_not_cover_are_left_out() -> None:
    side = a_side(None, [an_event(99), an_event(100), an_event(5, topic="elsewhere")], covers=True)

    assert side.outside == 1
    assert len(list(side.verdicts())) == 2


def test_a_run_covers_its_times() -> None:
    run = a_run("r1")
    bounded = run.model_copy(update={"from_": an_event(10).origin.timestamp})
    side = Side(None, covered([bounded]))
    for row in (9, 10):
        sent = letter(an_event(row), Topics())
        side.take(Record(sent.topic, 0, row, sent.key, sent.value, 0), dict(sent.headers))

    assert (side.outside, len(list(side.verdicts()))) == (1, 1)


def test_tallies_are_passed_over_and_what_is_no_score_is_counted() -> None:
    side = Side("r1")
    tally = letter(a_tally(0, rows=(0, 4), run="r1"), Topics())
    sent = letter(an_event(1, run="r1"), Topics())
    side.take(Record(tally.topic, 0, 0, tally.key, tally.value, 0), dict(tally.headers))
    side.take(Record(sent.topic, 0, 1, sent.key, b"{}", 0), dict(sent.headers))
    side.take(
        Record(sent.topic, 0, 2, sent.key, sent.value, 0), {**dict(sent.headers), ORIGIN: b"x"}
    )

    assert side.unreadable == 1
    assert list(side.verdicts()) == []
