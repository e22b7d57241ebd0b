"""What is said to fit does: the quick look and the exact one never disagree to the wrong side."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.trace import Turn
from scorers.judges.chunks import NoRoomError, chunks
from scorers.judges.dividing import holding
from scorers.judges.windows import Window, chat_window, decisions_window
from scorers.questions import Evidence, GradeAnswer, SupportSentence, VerifyClaims

TEXTS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(["\x00" * 400, "<" * 400, "[INST" * 100, "\U0001f3db" * 300, '"' * 400]),
)
PIECES = st.lists(st.builds(Evidence, TEXTS, TEXTS), max_size=6).map(tuple)
TURNS = st.lists(st.builds(Turn, role=TEXTS, text=TEXTS), max_size=4).map(tuple)
CLAIMS = st.lists(TEXTS, max_size=8).map(tuple)
ABOUTS = st.one_of(
    st.builds(VerifyClaims, CLAIMS, PIECES, st.one_of(st.none(), TEXTS), turns=TURNS),
    st.builds(SupportSentence, TEXTS, PIECES),
)
WINDOWS = st.sampled_from([chat_window, decisions_window])


@given(ABOUTS, WINDOWS, st.integers(1_500, 12_000))
@settings(max_examples=200)
def test_what_fits_takes_no_more_than_the_window_has(
    about: VerifyClaims | SupportSentence, kind: Callable[[int], Window], tokens: int
) -> None:
    window = kind(tokens)

    assert not window.fits(about) or window.taken(about) <= tokens


@given(ABOUTS, WINDOWS, st.integers(1_500, 12_000))
@settings(max_examples=100)
def test_a_chunk_that_was_made_for_the_room_fits_the_window(
    about: VerifyClaims | SupportSentence, kind: Callable[[int], Window], tokens: int
) -> None:
    window = kind(tokens)
    room = window.room(about)
    if not room:
        return

    try:
        found = chunks(about.evidence, room, window.weight(room))
    except NoRoomError:
        return
    for chunk in found:
        assert window.fits(holding(about, chunk))


def test_a_window_is_made_smaller_so_often_and_no_more() -> None:
    about = VerifyClaims(("c",), (Evidence("1", "The mill is open. " * 10_000),))
    window: Window | None = chat_window(64_000)
    made = []

    while window is not None:
        made.append(window.room(about))
        window = window.smaller(about)

    assert len(made) == 4
    assert all(later < room for room, later in pairwise(made))


@pytest.mark.parametrize("window", [chat_window(8_000), decisions_window(8_000)])
def test_what_cannot_be_divided_leaves_no_room_and_makes_no_smaller_window(
    window: Window,
) -> None:
    assert window.smaller(GradeAnswer("q", "a", "r" * 50_000, "1 to 5")) is None


def test_a_field_over_max_text_does_not_fit_any_window() -> None:
    about = VerifyClaims(("c",), (Evidence("1", "x" * 600), Evidence("2", "x" * 600)))

    assert chat_window(1_000_000, 1_200).fits(about)
    assert not chat_window(1_000_000, 1_199).fits(about)
