import random
from itertools import pairwise
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from streams.folder.faults import ShrunkError
from streams.folder.log import LogReader
from streams.folder.writer import LogWriter


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "0.jsonl"


def a_reader(file: Path, *, max_line: int = 1000) -> LogReader:
    reader = LogReader(file, max_line)
    reader.grow_all()
    return reader


def lines(reader: LogReader, offset: int = 0, *, rows: int = 100) -> list[bytes]:
    return [line.raw for line in reader.read(offset, rows=rows)]


def test_a_file_that_is_not_there_is_empty_until_it_is(file: Path) -> None:
    reader = a_reader(file)
    assert (reader.end, lines(reader)) == (0, [])

    file.write_bytes(b"a\n")
    reader.grow_all()

    assert (reader.end, lines(reader)) == (1, [b"a"])


def test_a_torn_last_line_is_not_there_yet(file: Path) -> None:
    file.write_bytes(b'one\n{"two":')
    reader = a_reader(file)
    assert (reader.end, lines(reader)) == (1, [b"one"])

    file.write_bytes(b'one\n{"two":2}\nthree\n')
    reader.grow_all()

    assert (reader.end, lines(reader, 1)) == (3, [b'{"two":2}', b"three"])


def test_a_last_line_that_is_a_whole_object_is_there_without_its_line_feed(file: Path) -> None:
    file.write_bytes(b'one\n{"two":2}')
    reader = a_reader(file)
    assert (reader.end, lines(reader)) == (2, [b"one", b'{"two":2}'])

    with file.open("ab") as out:
        out.write(b"\nthree\n")
    reader.grow_all()

    assert (reader.end, lines(reader, 2)) == (3, [b"three"])


def test_a_torn_line_that_was_taken_back_and_replaced_is_read_as_it_is_now(file: Path) -> None:
    file.write_bytes(b"one\n" + b"x" * 500)
    reader = a_reader(file)

    file.write_bytes(b"one\ntwo\nthree\n" + b"y" * 600)
    reader.grow_all()

    assert lines(reader) == [b"one", b"two", b"three"]


def test_a_log_that_loses_lines_while_it_is_read_stops_the_reading(file: Path) -> None:
    file.write_bytes(b"one\ntwo\n")
    reader = a_reader(file)
    file.write_bytes(b"one\n")

    with pytest.raises(ShrunkError, match="was cut while it was read"):
        reader.grow()


def test_line_ends_of_windows_are_no_part_of_a_line(file: Path) -> None:
    file.write_bytes(b"one\r\n\r\nthree\r\r\n")

    assert lines(a_reader(file)) == [b"one", b"", b"three\r"]


def test_a_line_that_is_too_long_is_cut_and_the_next_one_is_whole(file: Path) -> None:
    file.write_bytes(b"a" * 1_000_000 + b"\nnext\n")

    assert lines(a_reader(file, max_line=10)) == [b"a" * 10, b"next"]


def test_any_offset_of_a_large_file_is_found(file: Path) -> None:
    draw = random.Random(7)
    written = [b"%d:" % n + b"x" * draw.randrange(400) for n in range(20_000)]
    file.write_bytes(b"\n".join(written) + b"\n")
    reader = a_reader(file)

    assert reader.end == len(written)
    for _ in range(50):
        at = draw.randrange(len(written))
        assert lines(reader, at, rows=3) == written[at : at + 3]
    pieces = reader.stretches()
    assert len(pieces) > 5
    assert pieces[0][1] == reader.end
    assert pieces[-1][0] == 0
    assert all(later[0] == earlier[1] for later, earlier in pairwise(pieces))


def test_a_read_is_bounded_in_rows_and_in_bytes(file: Path) -> None:
    file.write_bytes((b"x" * 400_000 + b"\n") * 10)
    reader = a_reader(file, max_line=1_000_000)

    assert len(lines(reader, rows=2)) == 2
    assert len(lines(reader, rows=100)) == 3


def test_a_writer_goes_on_behind_the_last_line(file: Path) -> None:
    file.write_bytes(b"one\n")
    writer = LogWriter(file)
    assert writer.end == 1

    writer.append([b"two\n", b"three\n"])
    writer.close()

    assert writer.end == 3
    assert file.read_bytes() == b"one\ntwo\nthree\n"


def test_a_torn_line_of_a_killed_writer_is_taken_back_and_told(file: Path) -> None:
    file.write_bytes(b'{"one":1}\n{"two":')

    with capture_logs() as told:
        writer = LogWriter(file)
    writer.append([b"next\n"])
    writer.close()

    assert file.read_bytes() == b'{"one":1}\nnext\n'
    assert [(event["event"], event["bytes"]) for event in told] == [("torn_line_removed", 7)]


def test_a_whole_line_of_a_killed_writer_is_ended_and_kept(file: Path) -> None:
    file.write_bytes(b'{"one":1}\n{"two":2}')

    writer = LogWriter(file)
    writer.append([b"next\n"])
    writer.close()

    assert writer.end == 3
    assert file.read_bytes() == b'{"one":1}\n{"two":2}\nnext\n'


def test_a_write_that_fails_leaves_nothing_behind(file: Path) -> None:
    file.write_bytes(b"one\n")
    writer = LogWriter(file, fsync=True)
    writer.append([b"two\n"])
    writer.close()

    with pytest.raises(OSError, match="Bad file descriptor"):
        writer.append([b"three\n"])

    assert writer.end == 2
    assert file.read_bytes() == b"one\ntwo\n"
