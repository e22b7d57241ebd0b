import pytest

from schemas.rejection import Rejection
from schemas.wire import to_milliseconds
from streams.address import Headers, dead_headers
from streams.dead.letters import SourcePosition, Wanted, letter_of, note_of, noted, row_of
from streams.ports import Record
from tests.fakes import NOON
from tests.streams.dead.letters import a_letter


def whose(record: Record) -> str | None:
    return "shop/production" if b"shop" in (record.value or b"") else None


def test_a_letter_says_where_from_why_and_how_often() -> None:
    letter = letter_of(a_letter(4), whose)

    assert str(letter.origin) == "rag.traces/3/7"
    assert (letter.reason, letter.detail) == ("not_json", "byte 0")
    assert (letter.attempts, letter.redrives) == (1, 0)
    assert letter.first_failed_at == "2026-01-01T12:00:00.000Z"
    assert letter.assistant == "unknown/unknown"


def test_the_row_that_goes_back_is_the_row_that_was_set_aside() -> None:
    own: Headers = (("h", b"1"), ("h", b"\xff"), ("original-of", b"theirs"))
    letter = a_letter(4, value=b"\xff\x00", headers=own)
    origin = letter_of(letter, whose).origin

    assert origin is not None
    row = row_of(letter, origin, 1)

    assert row[:6] == ("rag.traces", 3, 7, b"k-7", b"\xff\x00", to_milliseconds(NOON) - 5000)
    assert row.headers[:3] == own
    assert dict(row.headers[3:]).keys() == {
        "streamgauge-attempts",
        "streamgauge-first-failed-at",
        "streamgauge-redrives",
    }


def test_a_row_that_fails_again_is_a_letter_that_counts_on() -> None:
    letter = a_letter(4, headers=(("h", b"1"),))
    for n in (1, 2):
        origin = letter_of(letter, whose).origin
        assert origin is not None
        row = row_of(letter, origin, n)
        later = dead_headers(row, Rejection("not_json", ""), at=NOON, group="g", version="1")
        letter = letter._replace(headers=later)

    known = letter_of(letter, whose)

    assert (known.attempts, known.redrives) == (3, 2)
    assert [name for name, _ in letter.headers if name.startswith("original-")] == ["original-h"]


@pytest.mark.parametrize(
    "named",
    [b"", b"rag.traces/0", b"rag.traces/0/x/1", b"\xff/1/2"],
    ids=lambda b: b.decode("latin"),
)
def test_a_record_of_others_is_a_letter_without_an_origin(named: bytes) -> None:
    letter = letter_of(
        Record("rag.dead", 0, 0, None, b"x", 0, (("streamgauge-origin", named),)), whose
    )

    assert letter.origin is None
    assert letter.reason == "untold"


def test_an_origin_may_name_a_topic_with_a_slash() -> None:
    headers = (("streamgauge-origin", b"a/b/1/2/3"),)

    assert letter_of(Record("d", 0, 0, None, b"", 0, headers), whose).origin == SourcePosition(
        "a/b", 1, 2, 3
    )


def test_a_note_names_its_letter_and_a_letter_is_no_note() -> None:
    forged = a_letter(5, headers=(("streamgauge-redriven", b"4"),))

    assert noted(note_of(a_letter(4), at=0)) == 4
    assert noted(a_letter(4)) is None
    assert noted(forged) is None


def test_letters_are_asked_for_by_reason_assistant_and_time() -> None:
    one = letter_of(a_letter(4, value=b"shop"), whose)

    assert Wanted().holds(one)
    assert Wanted("not_json", "shop/production", one.set_aside_at).holds(one)
    assert not Wanted(reason="tombstone").holds(one)
    assert not Wanted(assistant="unknown/unknown").holds(one)
    assert not Wanted(since=one.set_aside_at + 1).holds(one)
