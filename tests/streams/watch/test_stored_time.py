"""The marks that are made from scores where none were kept."""

from datetime import timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from schemas.mark import Mark
from schemas.score import ScoreEvent
from schemas.tally import Tally
from schemas.wire import to_milliseconds
from streams.watch.marks import STOPPED_AFTER
from streams.watch.stored_time import MOST_HELD, Kept, StoredTime, event_time
from tests.streams.watch.records import a_score, a_tally, at

AHEAD = 300_000
DAY = 86_400

Written = tuple[int, ScoreEvent | Tally]


def ms(second: float) -> int:
    return to_milliseconds(at(second))


def read(*written: Written, until: int) -> list[Kept | Mark]:
    """Hand records in by the second of their writing, and return what comes out."""
    time = StoredTime(ms(until), AHEAD)
    found: list[Kept | Mark] = []
    for offset, (second, message) in enumerate(written):
        found += time.take(Kept(offset, ms(second), message))
    return [*found, *time.end()]


def times(found: list[Kept | Mark]) -> list[tuple[float, float]]:
    """Return when each mark was made, and how far it says that time has come, in seconds."""
    return [
        ((mark.at - at(0)) / timedelta(seconds=1), (_time(mark) - ms(0)) / 1000)
        for mark in found
        if isinstance(mark, Mark)
    ]


def _time(mark: Mark) -> int:
    told = mark.partitions[0].event_time
    assert told is not None
    return to_milliseconds(told)


def test_time_waits_for_a_row_that_is_judged_slowly() -> None:
    quick = [(second, a_score(second, second - 1)) for second in range(60, 900, 10)]
    slow = (395, a_score(1, 120))

    found = times(read(*sorted([*quick, slow], key=lambda one: one[0]), until=900))

    assert all(time <= 120 for made, time in found if 120 < made <= 390)
    assert max(time for made, time in found if made > 460) > 400


def test_a_tally_of_a_minute_holds_time_until_it_is_written() -> None:
    rows: list[Written] = [(second, a_score(second, second)) for second in range(0, 600, 10)]
    tally: Written = (205, a_tally(60, rows=(0, 5)))

    found = times(read(*sorted([*rows, tally], key=lambda one: one[0]), until=600))

    assert all(time <= 60 for made, time in found if made < 205)


def test_a_row_of_long_ago_does_not_hold_everybody_up() -> None:
    rows = [(second, a_score(second, second)) for second in range(0, 3600, 30)]
    ancient = [(second + 1, a_score(second, second - 9 * DAY)) for second in range(0, 3600, 60)]

    found = times(read(*sorted([*rows, *ancient], key=lambda one: one[0]), until=3600))

    assert found[-1][1] > 3300


def test_time_passes_minute_by_minute_while_nothing_is_written() -> None:
    found = times(read((0, a_score(0, 0)), (7200, a_score(1, 7200)), until=7200))

    assert [made for made, _ in found][:120] == [60.0 * n for n in range(120)]
    assert all(time == made for made, time in found)


def test_no_mark_is_made_from_where_marks_are_kept() -> None:
    rows = [(second, a_score(second, second)) for second in range(0, 3600, 30)]

    found = read(*rows, until=1800)

    assert max(made for made, _ in times(found)) <= 1800
    assert len([one for one in found if isinstance(one, Kept)]) == len(rows)


def test_a_flood_is_let_through_before_its_time_is_over() -> None:
    time = StoredTime(ms(60), AHEAD)
    event = a_score(0, 0)

    out = [
        one
        for n in range(MOST_HELD + 5)
        for one in time.take(Kept(n, ms(0), event))
        if isinstance(one, Kept)
    ]

    assert [kept.offset for kept in out] == list(range(5))


SECONDS = st.integers(0, 4000)


@given(st.lists(st.tuples(SECONDS, st.integers(0, 500)), min_size=1, max_size=30))
def test_every_record_comes_once_in_order_and_no_mark_is_ahead_of_what_follows_soon(
    rows: list[tuple[int, int]],
) -> None:
    written = [(second, a_score(n, second - late)) for n, (second, late) in enumerate(sorted(rows))]

    found = read(*written, until=4000)

    assert [one.offset for one in found if isinstance(one, Kept)] == list(range(len(rows)))
    marks = [one for one in found if isinstance(one, Mark)]
    gaps = pairwise(marks)
    assert all(b.at - a.at <= timedelta(milliseconds=STOPPED_AFTER) for a, b in gaps)
    for place, mark in enumerate(found):
        if isinstance(mark, Mark):
            after = [kept for kept in found[place:] if isinstance(kept, Kept)]
            soon = [k for k in after if k.written <= to_milliseconds(mark.at) + AHEAD]
            ahead = [k for k in soon if k.message and event_time(k.message) < _time(mark)]
            told_before = max((_time(m) for m in found[:place] if isinstance(m, Mark)), default=0)
            assert _time(mark) >= told_before
            assert not ahead or _time(mark) == told_before
