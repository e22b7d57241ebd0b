from functools import reduce
from operator import add

from hypothesis import given
from hypothesis import strategies as st

from schemas.pane import Cell
from streams.watch.panes.ageing import close, lengthen
from streams.watch.panes.pane import HOUR, MINUTE, PaneKey, ScorePane
from streams.watch.panes.shelf import Shelf
from tests.streams.watch.filled import SERIES, START

STEPS = st.one_of(
    st.tuples(st.just("put"), st.integers(0, 179)),
    st.tuples(st.just("close"), st.integers(0, 180)),
    st.tuples(st.just("lengthen"), st.integers(0, 600)),
    st.tuples(st.just("read"), st.integers(0, 180)),
)


def minute(at: int) -> int:
    return START + at * MINUTE


def total(panes: list[ScorePane]) -> ScorePane:
    return reduce(add, panes, ScorePane()).closed()


@given(st.lists(STEPS, max_size=40), st.integers(0, 180), st.integers(0, 180))
def test_sums_that_were_kept_are_the_sums_of_what_is_there(
    steps: list[tuple[str, int]], start: int, end: int
) -> None:
    shelf: Shelf[ScorePane] = Shelf({})

    for offset, (what, at) in enumerate(steps):
        if what == "put":
            key = shelf.home(SERIES, minute(at))
            adding = ScorePane(last=offset, strata={"base": {1.0: Cell(1, 1, offset % 2)}})
            shelf.put(key, (shelf.get(key) or ScorePane()) + adding)
        elif what == "close":
            close(shelf, run="", end=minute(at))
        elif what == "lengthen":
            lengthen(shelf, run="", now=minute(at))
        else:
            shelf.pieces(SERIES, minute(0), minute(at))

    span = (minute(start), minute(end))
    assert total(shelf.pieces(SERIES, *span)) == total(shelf.between(SERIES, *span))


def test_an_hour_of_minutes_is_one_piece() -> None:
    shelf: Shelf[ScorePane] = Shelf({})
    for at in range(-5, 75):
        shelf.put(PaneKey(SERIES, minute(at), MINUTE), ScorePane(last=at + 5))

    pieces = shelf.pieces(SERIES, minute(-5), minute(75))

    assert len(pieces) == 5 + 1 + 1 + 5
    assert START % HOUR == 0
