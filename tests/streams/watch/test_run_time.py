"""The marks that are made between the rows of a replay's run."""

from collections.abc import Iterable
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from schemas.mark import Mark
from schemas.score import ScoreEvent
from schemas.tally import Tally
from schemas.wire import to_milliseconds
from streams.watch.fold import Watch
from streams.watch.options import Options
from streams.watch.panes.pane import DAY
from streams.watch.run_time import FORGOTTEN, longest_period, passing
from streams.watch.stored_time import Kept
from tests.streams.watch.records import a_score, a_tally, at


def ms(second: float) -> int:
    return to_milliseconds(at(second))


def played(*seconds: float, end: float | None = None) -> list[Kept | Mark]:
    """Play a row for each instant, in a run that ends with the last of them unless told."""
    rows: list[tuple[int, ScoreEvent | Tally]] = [
        (ms(second), a_score(n, second)) for n, second in enumerate(seconds)
    ]
    last = max(seconds, default=0.0) if end is None else end
    return [*passing(rows, begin=ms(min(seconds, default=0.0)), end=ms(last))]


def fold(watch: Watch, found: Iterable[Kept | Mark]) -> None:
    for item in found:
        if isinstance(item, Kept):
            watch.fold(item.message, offset=item.offset)
        else:
            watch.fold(item)


def marks(found: list[Kept | Mark]) -> list[float]:
    return [(one.at - at(0)) / timedelta(seconds=1) for one in found if isinstance(one, Mark)]


def test_a_mark_comes_for_each_minute_once_all_its_rows_have_come() -> None:
    found = played(10, 50, 70)

    assert [type(one) for one in found[:4]] == [Kept, Kept, Mark, Kept]
    assert marks(found)[0] == 60


def test_silence_between_rows_passes_minute_by_minute() -> None:
    found = played(0, 3600)

    assert marks(found)[:60] == [60.0 * n for n in range(1, 61)]


def test_time_ends_where_the_minute_of_the_last_row_has_just_been_evaluated() -> None:
    watch = Watch(Options())

    fold(watch, played(0, 600))

    assert watch.tables.clocks[""].evaluated == ms(660)


def test_a_partition_whose_rows_ended_earlier_lives_to_the_end_of_the_run() -> None:
    assert marks(played(0, 60, end=7200))[-1] == marks(played(0, 7200))[-1]


def test_rows_with_a_date_of_long_ago_let_no_years_pass() -> None:
    ancient, now = [0, 5], [FORGOTTEN * 9 + n * DAY for n in range(3)]

    found = longest_period([*ancient, *now])

    assert found == (now[0], now[-1], 3)
    assert longest_period([]) is None


SECONDS = st.lists(st.integers(0, 5000), min_size=1, max_size=30).map(sorted)


@given(SECONDS)
def test_every_row_is_in_time(seconds: list[int]) -> None:
    """No row comes behind a mark that says that time has come further than the row."""
    found = played(*seconds)

    told = 0
    for place, item in enumerate(found):
        if isinstance(item, Mark):
            assert to_milliseconds(item.at) > told
            told = to_milliseconds(item.at)
            assert item.scores == sum(isinstance(one, Kept) for one in found[:place])
        else:
            assert item.written >= told
    assert [one.offset for one in found if isinstance(one, Kept)] == list(range(len(seconds)))


@given(SECONDS, st.data())
def test_rows_that_a_run_wrote_twice_count_once(seconds: list[int], data: st.DataObject) -> None:
    """A life that was killed leaves rows that the next one writes again."""
    again = data.draw(st.lists(st.sampled_from(range(len(seconds))), max_size=5))
    rows = sorted([*enumerate(seconds), *((n, seconds[n]) for n in again)], key=lambda row: row[1])
    events: list[tuple[int, ScoreEvent | Tally]] = [
        (ms(second), a_score(n, second)) for n, second in rows
    ]
    watch = Watch(Options())

    fold(watch, passing(events, begin=ms(seconds[0]), end=ms(seconds[-1])))

    panes = watch.tables.scores.values()
    assert sum(pane.outcomes["scored"] for pane in panes) == len(seconds)
    assert not any(pane.late or "duplicate" in pane.outcomes for pane in panes)


def test_tallies_come_with_the_minute_that_they_count() -> None:
    tally = a_tally(60, rows=(0, 1))

    found = [*passing([(ms(60), tally), (ms(100), a_score(0, 100))], begin=ms(0), end=ms(100))]

    assert marks(found)[0] == 60
    assert [type(one) for one in found[:3]] == [Mark, Kept, Kept]
