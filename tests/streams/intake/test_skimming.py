"""What is read of every row is what a full reading would have found, or nothing at all."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemas.rejection import Rejection
from streams.intake.decode import Intake
from streams.intake.head import MAX_KEY, MAX_PROFILES, Head, Profiles
from streams.intake.layout import ALIASES, HEAD, RowLayout
from streams.intake.skimming import skimming
from tests.streams.intake.rows import record, row

SKIMMED = Intake()
IN_FULL = Intake(RowLayout({"attributes.none": "no.where"}))
"""Reads all of a row, since its map names an attribute (that no row has)."""
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
ROWS = st.dictionaries(st.sampled_from(MEMBERS), VALUES, max_size=6).map(
    lambda fields: {"service": "s", **fields}
)
ODD = [b"\\", b"\xff", b"NaN", b"1e999", b'"', b",", b"{", b"]", b"\\ud800", b"\x00", b" ", b"0"]


def skimmed(raw: bytes) -> Head | None:
    """Return what is read of a row at the first look, None where it is left to the full reader."""
    (head,) = skimming(Profiles(), SKIMMED.max_bytes)([(raw, record(raw), None)])
    return head


def told(head: Head | Rejection) -> object:
    """Return all that a head says."""
    if isinstance(head, Rejection):
        return head
    labels, attributes = dict(head.profile.labels), dict(head.profile.attributes)
    return head.trace_id, head.at, head.at_from, head.profile.assistant, labels, attributes


@settings(max_examples=200)
@given(ROWS, st.booleans())
def test_a_row_is_skimmed_as_it_is_read(fields: dict[str, object], plain: bool) -> None:
    raw = json.dumps(fields, ensure_ascii=plain).encode(errors="surrogatepass")

    assert told(SKIMMED.head(record(raw))) == told(IN_FULL.head(record(raw)))


@settings(max_examples=300)
@given(ROWS, st.integers(0, 60), st.integers(0, 3), st.sampled_from(ODD))
@example({"service": "s", "answer": "a"}, 28, 0, b"\xff")
@example({"service": "s", "answer": "a"}, 28, 0, b"\\ud800")
def test_no_row_is_skimmed_that_cannot_be_read(
    fields: dict[str, object], at: int, cut: int, odd: bytes
) -> None:
    whole = json.dumps(fields).encode()
    raw = whole[:at] + odd + whole[at + cut :]

    assert told(SKIMMED.head(record(raw))) == told(IN_FULL.head(record(raw)))


@given(st.lists(ROWS, max_size=6))
def test_what_is_known_of_other_rows_changes_no_row(rows: list[dict[str, object]]) -> None:
    intake = Intake()
    for fields in rows:
        raw = json.dumps(fields).encode()
        assert told(intake.head(record(raw))) == told(Intake().head(record(raw)))


def test_the_usual_row_is_skimmed() -> None:
    found = skimmed(json.dumps(row(answer="a\n")).encode())
    assert found is not None
    assert (found.trace_id, found.profile.assistant) == ("t-1", "shop/production")
    assert skimmed('{"traceId": "é", "service": "s", "labels": {"m": "😀"}}'.encode()) is not None


@pytest.mark.parametrize(
    "raw", [b"[]", b"null", b"", b"{}", b'\xef\xbb\xbf{"service": "s"}', b'{"service": "\xff"}']
)
def test_the_unusual_is_left_to_the_full_reader(raw: bytes) -> None:
    assert skimmed(raw) is None


def test_a_mapped_field_is_found_where_the_map_says() -> None:
    intake = Intake(RowLayout({"service": "meta.app"}))

    head = intake.head(record({"service": "wrong", "meta": {"app": "shop"}}))

    assert not isinstance(head, Rejection)
    assert head.profile.service == "shop"


def test_labels_that_are_another_in_every_row_are_not_all_kept() -> None:
    profiles = Profiles()
    skim = skimming(profiles, SKIMMED.max_bytes)

    def read(notes: list[str]) -> None:
        rows = [json.dumps(row(attributes={"note": note})).encode() for note in notes]
        assert all(skim([(raw, record(raw), None) for raw in rows]))

    read([f"{n} {'x' * MAX_KEY}" for n in range(3)])
    assert not profiles.known

    read([str(n) for n in range(MAX_PROFILES + 3)])
    assert len(profiles.known) == 3
