"""What commands say to people: lines, how deep each stands, and how loudly."""

from collections.abc import AsyncIterable, Iterable
from dataclasses import dataclass, replace

from rich.console import Console

_STYLES = {"good": "green", "bad": "red", "": ""}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an account: how deep it stands, what it says, and how loudly."""

    text: str
    depth: int = 0
    tone: str = ""


def counted(count: int, noun: str) -> str:
    """Return how many there are of what a regular noun names: `1 row`, `2 rows`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def print_lines(lines: Iterable[Line], console: Console) -> None:
    """Print them as they are: no markup, and no line is broken."""
    for line in lines:
        text = "  " * line.depth + line.text
        style = _STYLES[line.tone]
        console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)


async def print_marked(lines: AsyncIterable[Line], console: Console) -> bool:
    """Print lines as they come, with a mark on what is bad: a pipe has no colours.

    Returns whether nothing is bad; else the last line says how many are.
    """
    bad = 0
    async for line in lines:
        if line.tone == "bad":
            bad += 1
            line = replace(line, text=f"! {line.text}")
        print_lines([line], console)
    if bad:
        print_lines([Line(f"not all is well: {counted(bad, 'line')} marked with !")], console)
    return bad == 0
