import os
from collections.abc import Sequence
from typing import BinaryIO

import pytest

from streams.folder.faults import LogFaultError
from streams.folder.piped import Piped
from streams.ports import Record
from tests.fakes import NOON


def a_pipe(*, max_line: int = 1 << 20) -> tuple[Piped, BinaryIO]:
    out, into = os.pipe()
    reader, writer = os.fdopen(out, "rb", 0), os.fdopen(into, "wb", 0)
    return Piped(lambda: reader, "stdin", lambda: NOON, max_line), writer


async def all_of(piped: Piped) -> list[Record]:
    return [record async for batch in piped.batches() for record in batch]


async def test_lines_have_their_numbers_and_the_last_needs_no_end() -> None:
    piped, writer = a_pipe()
    writer.write(b'{"n":0}\n\n{"n":2}\r\n{"n":3}')
    writer.close()

    found = await all_of(piped)

    assert [(r.offset, r.value) for r in found] == [
        (0, b'{"n":0}'),
        (2, b'{"n":2}'),
        (3, b'{"n":3}'),
    ]


async def test_a_row_comes_before_the_pipe_ends_and_reading_can_be_stopped() -> None:
    piped, writer = a_pipe()
    writer.write(b'{"n":0}\n{"n":')

    seen: list[Sequence[Record]] = []
    async for batch in piped.batches():
        seen.append(batch)
        piped.stop()

    assert [[r.value for r in batch] for batch in seen] == [[b'{"n":0}']]
    writer.close()


async def test_a_line_without_an_end_is_a_fault_that_names_it() -> None:
    piped, writer = a_pipe(max_line=10)
    writer.write(b"{}\n" + b"x" * 100)
    writer.close()

    with pytest.raises(LogFaultError, match="line 2 does not come to an end"):
        await all_of(piped)
