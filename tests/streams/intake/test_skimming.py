"""What is read of every row is what a full reading would have found, or nothing at all."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemas.json_text import UnreadableJsonError, peek
from schemas.rejection import Rejection
from streams.intake.decode import Intake
from streams.intake.layout import ALIASES, HEAD, RowLayout, heading
from streams.intake.skimming import skimming
from tests.streams.intake.rows import record, row

SKIM = skimming()
MEMBERS = [*HEAD, *(alias for name in HEAD for alias in ALIASES.get(name, ())), "answer", "q\n"]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(2**62, 2**66)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
ROWS = st.dictionaries(st.sampled_from(MEMBERS), VALUES, max_size=6)
ODD = [b"\\", b"\xff", b"NaN", b"1e999", b'"', b",", b"{", b"]", b"\\ud800", b"\x00", b" ", b"0"]


@settings(max_examples=200)
@given(ROWS, st.booleans())
def test_a_row_is_skimmed_as_it_is_read(fields: dict[str, object], plain: bool) -> None:
    raw = json.dumps(fields, ensure_ascii=plain).encode(errors="surrogatepass")
    try:
        read = heading(RowLayout().fields_of(peek(raw, max_bytes=1 << 20)))
    except UnreadableJsonError:
        assert SKIM(raw) is None
        return

    found = SKIM(raw)

    assert found is None or repr(tuple(found)) == repr(read)


@settings(max_examples=300)
@given(ROWS, st.integers(0, 60), st.integers(0, 3), st.sampled_from(ODD))
@example({"answer": "a"}, 12, 0, b"\xff")
@example({"answer": "a"}, 12, 0, b"\\ud800")
def test_no_row_is_skimmed_that_cannot_be_read(
    fields: dict[str, object], at: int, cut: int, odd: bytes
) -> None:
    whole = json.dumps(fields).encode()
    raw = whole[:at] + odd + whole[at + cut :]

    found = SKIM(raw)

    if found is not None:
        row = peek(raw, max_bytes=1 << 20)
        assert repr(tuple(found)) == repr(heading(RowLayout().fields_of(row)))


def test_the_usual_row_is_skimmed() -> None:
    assert SKIM(json.dumps(row(answer="a\n")).encode()) == ("t-1", None, None, "shop", *[None] * 3)
    assert SKIM('{"traceId": "é", "labels": {"m": "😀"}}'.encode()) is not None


@pytest.mark.parametrize("raw", [b"[]", b"null", b"", b"\xef\xbb\xbf{}", b'{"answer": "\xff"}'])
def test_the_unusual_is_left_to_the_full_reader(raw: bytes) -> None:
    assert SKIM(raw) is None


def test_a_mapped_field_is_found_where_the_map_says() -> None:
    intake = Intake(RowLayout({"service": "meta.app"}))

    head = intake.head(record({"service": "wrong", "meta": {"app": "shop"}}))

    assert not isinstance(head, Rejection)
    assert head.profile.service == "shop"
