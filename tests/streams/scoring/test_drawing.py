from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.scoring.drawing import bound_of, drawing, id_bytes, share

SALT = "streamgauge"
HALF = bytes.fromhex("8000000000000000")


@pytest.mark.parametrize(
    ("trace_id", "digest"),
    [
        ("0af7651916cd43dd8448eb211c80319c", "224203424ebb7dc8"),
        ("0AF76519-16cd-43dd-8448-eb211c80319c", "224203424ebb7dc8"),
        ("4bf92f3577b34da6a3ce929d0e0e4736", "2fbf23f9d03b8985"),
        ("00000000000000000000000000000001", "7dd44ab4af2be161"),
        ("order-123", "f8d6f115793fa424"),
        ("bestellung-ü", "f474084a1f65701b"),
    ],
)
def test_the_draw_of_an_id_is_the_same_everywhere(trace_id: str, digest: str) -> None:
    assert drawing(SALT)(trace_id.encode()).hex() == digest


def test_an_id_of_32_characters_that_is_not_hex_counts_as_it_is_written() -> None:
    assert id_bytes(b"g" * 32) == b"g" * 32


def test_a_draw_stands_for_a_share() -> None:
    assert share(HALF) == 0.5


@given(st.binary(min_size=8, max_size=8), st.floats(0, 1, exclude_min=True))
def test_a_draw_is_compared_as_the_number_that_it_is(draw: bytes, probability: float) -> None:
    below = int.from_bytes(draw) < Fraction(probability) * 2**64

    assert (draw < bound_of(probability)) == below


@pytest.mark.parametrize(
    ("probability", "draw", "kept"),
    [(0.5, HALF, False), (0.5, b"\x7f" + b"\xff" * 7, True), (1.0, b"\xff" * 8, True)],
)
def test_a_draw_is_kept_below_its_probability_and_not_at_it(
    probability: float, draw: bytes, *, kept: bool
) -> None:
    assert (draw < bound_of(probability)) == kept
