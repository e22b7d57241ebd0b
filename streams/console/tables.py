"""Tables of figures for people: as narrow as can be, and never shown with a figure cut."""

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

_ANY_WIDTH = 10_000


def figures(name: str, *columns: str, title: str | None = None) -> Table:
    """Return a table of what `name` names on the left, and figures of it on the right."""
    table = Table(title=title, box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column(name, no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def fits(table: Table, console: Console) -> bool:
    """Say whether somebody sees it as a table: on a terminal that is wide enough for all of it."""
    unbounded = console.options.update(max_width=_ANY_WIDTH)
    wanted = Measurement.get(console, unbounded, table).maximum
    return console.is_terminal and wanted <= console.width
