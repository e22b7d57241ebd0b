"""A pane's life in the fold: when it goes out, when it is final, and what becomes of it."""

from datetime import timedelta

from streams.watch.fold import Watch
from streams.watch.options import Options
from streams.watch.panes.pane import OTHER
from streams.watch.tables import Tables
from tests.streams.watch.records import (
    SCORER,
    SHOP,
    a_mark,
    a_score,
    a_tally,
    at,
    bad,
    done_with,
)
from tests.streams.watch.teller import Teller, panes


def test_changed_panes_go_out_every_ten_seconds_and_no_more_often() -> None:
    teller = Teller()

    first = teller.tell(a_score(1, 10), a_mark(12, scores=1))
    soon = teller.tell(a_score(2, 11), a_mark(17, scores=2))
    later = teller.tell(a_mark(22, scores=2))
    nothing = teller.tell(a_mark(32, scores=2))

    assert [len(panes(said)) for said in (first, soon, later, nothing)] == [1, 0, 1, 0]
    assert panes(later)[0].outcomes == {"scored": 2}
    assert not panes(later)[0].final


def test_a_pane_is_final_five_minutes_after_its_end_and_goes_out_so() -> None:
    teller = Teller()
    teller.tell(a_score(1, 10), a_mark(419, scores=1))

    said = teller.tell(a_mark(420, scores=1))

    assert [(pane.final, pane.start) for pane in panes(said)] == [(True, at(0))]


def test_a_final_pane_takes_a_late_row_counts_it_and_goes_out_again() -> None:
    teller = Teller()
    teller.tell(a_score(1, 10), a_mark(420, scores=1), a_mark(425, scores=1))

    said = teller.tell(a_score(2, 20), a_mark(440, scores=2))

    assert [(pane.late, pane.final, pane.outcomes) for pane in panes(said)] == [
        (1, True, {"scored": 2})
    ]


def test_above_the_bound_new_segment_values_share_one_pane() -> None:
    teller = Teller(Options(segments=("tenant",), max_panes=3))

    for n, tenant in enumerate("abcda"):
        teller.tell(a_score(n, 10, attributes={"tenant": tenant}))

    counts = {k.family.segment: p.outcomes for k, p in teller.watch.tables.scores.items()}
    assert counts == {
        "": {"scored": 5},
        "tenant=a": {"scored": 2},
        "tenant=b": {"scored": 1},
        f"tenant={OTHER}": {"scored": 2},
    }


def test_minutes_become_ten_and_then_an_hour_and_are_gone_after_four_weeks() -> None:
    teller = Teller()
    teller.tell(a_score(1, 10), a_score(2, 130, bad()), a_score(3, 700))
    hour, day = 3_600, 86_400

    lengths = []
    for second in (6 * hour + 670, 6 * hour + 1270, 3 * day, 30 * day):
        teller.tell(a_mark(second, scores=3))
        lengths.append(teller.panes())

    assert lengths == [
        [(10, {"scored": 2}), (1, {"scored": 1})],
        [(10, {"scored": 2}), (10, {"scored": 1})],
        [(60, {"scored": 3})],
        [],
    ]


def test_a_row_for_minutes_that_have_become_longer_goes_to_the_longer_pane() -> None:
    teller = Teller()
    teller.tell(a_score(1, 10), a_mark(6 * 3_600 + 670, scores=1))

    teller.tell(a_score(2, 300))

    assert teller.panes() == [(10, {"scored": 2})]


def test_a_shorter_pane_under_a_longer_one_is_dead() -> None:
    """As after a crash between writing the longer pane and deleting what it replaces."""
    teller = Teller()
    teller.tell(a_score(1, 10), a_mark(420, scores=1))
    short = dict(teller.watch.tables.scores)
    teller.tell(a_mark(6 * 3_600 + 670, scores=1))
    tables = Tables.from_json(teller.watch.tables.to_json())
    tables.scores.update(short)

    back = Watch(Options(), tables)
    view = back.window(SHOP, SCORER, length=timedelta(hours=1), at=at(3_600))
    back.fold(a_mark(6 * 3_600 + 700, scores=1))

    assert view.n == 1
    assert len(tables.scores) == 1


def test_a_replay_fills_panes_of_its_own_that_leave_with_it() -> None:
    teller = Teller()
    teller.tell(a_score(1, 10), a_score(1, 10, run="r1"), a_tally(0, rows=(0, 9), run="r1"))

    teller.tell(a_mark(30, run="r1", scores=3))
    said = teller.tell(a_mark(40, run="r1", scores=3, done=True))

    assert {(pane.run, pane.final) for pane in panes(said) if pane.run} == {("r1", True)}
    assert teller.panes() == [(1, {"scored": 1})]
    assert not teller.watch.tables.ledgers
    assert teller.watch.watermark is None


def test_a_replays_rows_read_again_after_it_left_stay_away() -> None:
    teller = Teller()
    replayed = a_score(1, 10, run="r1")
    teller.tell(replayed, a_mark(40, run="r1", scores=1, done=True))

    back = Watch(Options(), teller.watch.tables)
    back.fold(replayed, offset=0)

    assert not back.tables.scores


def test_a_run_that_is_done_with_its_rows_ends_with_its_last_mark_and_not_before() -> None:
    """Its marks are of the night in which it ran: its panes do not grow old by them."""
    night = 80_000
    teller = Teller()
    teller.tell(*(a_score(n, 60 * n, run="r1") for n in range(10)))

    reached = a_mark(night, {0: done_with(540)}, run="r1", scores=10)
    said = teller.tell(reached)
    ended = teller.tell(a_mark(night + 1, {0: done_with(540)}, run="r1", scores=10, done=True))

    assert {pane.start for pane in panes(said) if pane.final} == {at(0), at(60), at(120)}
    assert {pane.start for pane in panes(ended)} == {at(60 * n) for n in range(3, 10)}
    assert not any(pane.late or not pane.final for pane in panes(ended))
    assert teller.watch.tables.scores == {}


def test_a_row_that_is_judged_again_in_an_open_pane_of_its_run_counts_once() -> None:
    night = 80_000
    teller = Teller()
    teller.tell(a_score(1, 10, run="r1"), a_mark(night, {0: done_with(10)}, run="r1", scores=1))

    teller.tell(a_score(1, 10, run="r1"))

    [pane] = teller.watch.tables.scores.values()
    assert (pane.outcomes, pane.late, pane.final) == ({"scored": 1}, 0, False)


def test_rows_of_a_run_that_a_late_score_ended_are_not_read_again_after_a_restart() -> None:
    teller = Teller()
    teller.tell(a_mark(40, run="r1", scores=2, done=True), a_score(1, 10, run="r1"))
    teller.tell(a_score(1, 10))

    later = Watch(Options(), Tables.from_json(teller.watch.tables.to_json()))

    assert later.tables.clocks == {}
    assert later.due.scores == 2
