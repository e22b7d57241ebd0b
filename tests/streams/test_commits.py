import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.commits import LIMIT, Metadata, Resumption, Unreadable, decode, encode, resume

TOPIC_ID = "l3H-bftnTlmELVJyVkkxow"


def a_commit(finished: bytes = b"\x05", *, topic_id: str = TOPIC_ID) -> Metadata:
    return Metadata("4242-17", topic_id, 1_767_268_800_000, finished)


def test_a_commit_reads_as_its_parts_say() -> None:
    text = encode(a_commit())

    assert text == f"sg1.4242-17.{TOPIC_ID}.1767268800000.BQ=="
    assert decode(text) == a_commit()


@given(st.binary(max_size=1024))
def test_every_map_of_a_full_span_fits_and_comes_back(finished: bytes) -> None:
    assert decode(encode(a_commit(finished))) == a_commit(finished)


def test_a_map_that_does_not_fit_is_left_out_and_the_rest_is_kept() -> None:
    text = encode(a_commit(b"\xff" * 3100))

    assert len(text) < LIMIT
    assert decode(text) == a_commit(b"")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no_metadata"),
        ("sg2.1-1.x.1.", "unknown_prefix"),
        ("AQAAAZ", "unknown_prefix"),
        ("sg1.1-1", "truncated"),
        (f"sg1.1-1.{TOPIC_ID}.176", "truncated"),
        (f"sg1.1-1.{TOPIC_ID}.yesterday.BQ==", "truncated"),
        (f"sg1.1-1.{TOPIC_ID}.1767268800000.BQ", "bad_bitmap"),
        (f"sg1.1-1.{TOPIC_ID}.1767268800000.B!==", "bad_bitmap"),
        (f"sg1.1-1.{TOPIC_ID}.1767268800000.Bü==", "bad_bitmap"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, reason: str) -> None:
    assert decode(text) == Unreadable(reason)


@given(st.text(max_size=60))
def test_no_text_raises(text: str) -> None:
    decode(text)
    decode("sg1." + text)


def test_a_good_commit_is_resumed_with_its_map_and_time() -> None:
    found = resume(10, encode(a_commit()), topic_id=TOPIC_ID, end=13)

    assert found == Resumption(10, b"\x05", 1_767_268_800_000)


def test_a_commit_to_an_earlier_topic_of_that_name_says_nothing() -> None:
    found = resume(10, encode(a_commit(topic_id="x" * 22)), topic_id=TOPIC_ID, end=20)

    assert found == Resumption(None, problem="topic_recreated")


def test_a_commit_beyond_the_end_says_nothing() -> None:
    found = resume(10, encode(a_commit()), topic_id=TOPIC_ID, end=9)

    assert found == Resumption(None, problem="beyond_end")


def test_a_map_that_reaches_beyond_the_end_is_not_used() -> None:
    found = resume(10, encode(a_commit()), topic_id=TOPIC_ID, end=12)

    assert found == Resumption(10, b"", 1_767_268_800_000, "map_beyond_end")


def test_metadata_of_strangers_costs_the_map_and_not_the_offset() -> None:
    assert resume(10, "kstreams", topic_id=TOPIC_ID, end=12) == Resumption(
        10, problem="unknown_prefix"
    )
