"""Cutting evidence: nothing is left out, nothing is too heavy, and a seam loses no sentence."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.judges.chunks import A_PIECE, NoRoomError, chunks, spans, weigh
from scorers.judges.fitting import estimate
from scorers.questions import Evidence
from scorers.text.sentences import sentences

WORDS = st.sampled_from(
    [
        "Die",
        "Mühle",
        "öffnet",
        "um",
        "zehn.",
        "No.",
        "7,5",
        "中文句子。",
        "\n",
        "\x00",
        "🏛",
        '"',
        " ",
    ]
)
TEXTS = st.one_of(st.lists(WORDS, max_size=120).map(" ".join), st.text(max_size=300))
ROOMS = st.integers(40, 200)


@given(TEXTS, ROOMS, st.booleans())
@settings(max_examples=150)
def test_parts_cover_the_text_in_order_and_none_is_too_heavy(
    text: str, room: int, overlap: bool
) -> None:
    found = list(spans(text, room, estimate, overlap=overlap))

    assert found[0][0] == 0
    assert found[-1][1] == len(text)
    for (start, end), (then, later) in pairwise(found):
        assert start < then <= end < later
        assert overlap or then == end
    assert all(estimate(text[start:end]) <= room for start, end in found)


@given(st.lists(TEXTS, max_size=5), st.integers(2 * A_PIECE + 8, 300))
@settings(max_examples=100)
def test_chunks_hold_every_character_of_every_piece_under_its_key(
    texts: list[str], room: int
) -> None:
    evidence = [Evidence(str(n), text) for n, text in enumerate(texts)]

    found = chunks(evidence, room, estimate, overlap=False)

    for piece in evidence:
        parts = [one for chunk in found for one in chunk if one.key == piece.key]
        assert "".join(part.text for part in parts) == piece.text
        assert all(part.whole for part in parts) == (parts == [piece])
    assert all(weigh(chunk, estimate) <= room for chunk in found)
    assert all(chunk for chunk in found)


@given(st.lists(st.integers(0, 10_000), min_size=2, max_size=60), st.integers(60, 120))
@settings(max_examples=80)
def test_two_sentences_that_follow_each_other_stand_together_in_some_part(
    numbers: list[int], room: int
) -> None:
    text = " ".join(f"Room {n} is open." for n in numbers)
    whole = [text[start:end] for start, end in sentences(text)]

    parts = [text[start:end] for start, end in spans(text, room, estimate)]

    for one, other in pairwise(whole):
        assert any(f"{one} {other}" in part for part in parts)


def test_what_fits_is_one_chunk_and_nothing_makes_none() -> None:
    evidence = (Evidence("a", "The mill."), Evidence("b", "The museum."))

    assert chunks(evidence, 1_000, estimate) == [evidence]
    assert chunks((), 1_000, estimate) == []


def test_a_key_that_every_part_would_have_to_carry_is_refused() -> None:
    with pytest.raises(NoRoomError):
        chunks((Evidence("k" * 500, "The mill. " * 1_000),), 400, estimate)


def test_a_text_without_any_place_to_cut_at_is_cut_all_the_same() -> None:
    found = list(spans("x" * 10_000, 500, estimate))

    assert found[-1][1] == 10_000
    assert all(end - start <= 1_000 for start, end in found)
