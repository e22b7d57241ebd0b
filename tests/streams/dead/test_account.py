import io
from collections import Counter

from rich.console import Console

from streams.dead.account import json_lines, lines_of, tables
from streams.dead.letters import letter_of
from streams.dead.reading import Selection
from tests.streams.dead.letters import a_letter


def printed(found: Selection, payload: bytes | None, *, width: int = 80) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width)
    for part in tables(found, found.waiting[-1:], {found.waiting[-1]: payload}):
        console.print(part)
    return out.getvalue()


def two() -> Selection:
    letters = tuple(letter_of(a_letter(n, row=n), lambda _: "shop/production") for n in range(2))
    return Selection(letters, Counter({"tombstone": 4}))


def test_counts_come_before_letters_and_bytes_last() -> None:
    text = printed(two(), b"the bytes")

    places = [text.index(part) for part in ("tombstone", "the latest 1 of 2", "the bytes")]
    assert places == sorted(places)
    assert "rag.traces/3/1" in text
    assert "rag.traces/3/0" not in text


def test_a_narrow_terminal_breaks_what_it_cannot_hold_and_cuts_nothing() -> None:
    text = printed(two(), b"", width=60)

    assert "\N{HORIZONTAL ELLIPSIS}" not in text


def test_bytes_of_others_command_no_terminal_and_are_no_markup() -> None:
    text = printed(two(), b"\x1b[2J[bold]\xff\xc2\x9b")

    assert "\x1b" not in text
    assert "\x9b" not in text
    assert "[bold]" in text


def test_bytes_that_are_no_text_are_written_in_base64() -> None:
    found = two()
    first, last = found.waiting

    lines = json_lines(found, found.waiting, {first: b"\xff", last: None})

    *_, one, other = lines
    assert one["payload_base64"] == "/w=="
    assert other["payload"] is None


def test_each_object_is_a_line() -> None:
    lines = list(lines_of(json_lines(two(), two().waiting, {})))

    assert len(lines) == 4
    assert all(line.count("\n") == 1 for line in lines)
