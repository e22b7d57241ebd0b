import io
from collections.abc import AsyncIterator, Sequence

from rich.console import Console

from streams.console.lines import Line, print_marked


async def each(lines: Sequence[Line]) -> AsyncIterator[Line]:
    for line in lines:
        yield line


async def printed(*lines: Line) -> tuple[bool, list[str]]:
    console = Console(file=io.StringIO())
    well = await print_marked(each(lines), console)
    assert isinstance(console.file, io.StringIO)
    return well, console.file.getvalue().splitlines()


async def test_what_is_bad_is_marked_where_there_are_no_colours() -> None:
    lines = (Line("rows: 3", tone="good"), Line("1 rejected", depth=1, tone="bad"), Line("judge"))

    assert await printed(*lines) == (
        False,
        ["rows: 3", "  ! 1 rejected", "judge", "not all is well: 1 line marked with !"],
    )


async def test_where_nothing_is_bad_nothing_is_marked() -> None:
    assert await printed(Line("rows: 3", tone="good"), Line("judge")) == (
        True,
        ["rows: 3", "judge"],
    )
