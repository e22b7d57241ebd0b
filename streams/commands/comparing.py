"""`replay --against`: a run held against live traffic or another run, row by row."""

import asyncio
from pathlib import Path

from rich.console import Console

from streams.address import LIVE
from streams.console.lines import Line, print_lines
from streams.replay.against import (
    NothingToCompareError,
    Report,
    read_report,
    refuse_unknown_run,
)
from streams.replay.planning import ReplayRefusedError
from streams.replay.report.accounts import flip_lines, lines, tables, title
from streams.replay.report.objects import json_lines
from streams.replay.report.page import page
from streams.wiring.broker import Wiring


async def refuse_unknown(wiring: Wiring, against: str) -> None:
    """Refuse a run that nobody knows before another one is judged to be held against it.

    Raises ReplayRefusedError, NotServedError, ConnectionError.
    """
    if against == LIVE:
        return
    async with wiring.glance() as glance:
        await wiring.refuse_missing(glance, wiring.topics.runs, wiring.topics.scores)
        try:
            await refuse_unknown_run(glance, wiring.topics, against)
        except NothingToCompareError as error:
            raise ReplayRefusedError(f"--against: {error}") from None


async def compare(  # noqa: PLR0913 - two sides, and every way to tell of them
    wiring: Wiring,
    run: str,
    against: str,
    *,
    console: Console,
    as_json: bool,
    html: Path | None,
    options: str = "",
) -> bool:
    """Print how a run differs from `against` (a run, or `live`). Returns whether it could be told.

    `html` is a file that the same is written to as a page, in place of what was there. `options`
    are those of the command line that `streamgauge show` needs to find the same topics.
    """
    try:
        async with wiring.glance() as glance:
            report = await read_report(glance, wiring.topics, run=run, against=against)
    except NothingToCompareError as error:
        Console(stderr=True).print(str(error), style="red", markup=False, soft_wrap=True)
        return False
    if html is not None:
        await asyncio.to_thread(html.write_text, page(report, options), encoding="utf-8")
    if as_json:
        for line in json_lines(report, options):
            console.file.write(line + "\n")
    elif console.is_terminal:
        _print_tables(report, console, options)
    else:
        print_lines(lines(report, options), console)
    return True


def _print_tables(report: Report, console: Console, options: str) -> None:
    head = [Line(title(report)), *(Line(f"note: {note}", 1) for note in report.notes)]
    print_lines(head, console)
    for one, table in tables(report):
        console.print(table)
        print_lines(flip_lines(one, report, options), console)
