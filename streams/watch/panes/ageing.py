"""How panes grow old: open, final, part of a longer one, gone."""

from functools import reduce
from operator import add

from streams.watch.panes.pane import PaneKey
from streams.watch.panes.shelf import Shelf, V
from streams.watch.panes.stages import STAGES


def close(shelf: Shelf[V], *, run: str, end: int | None) -> list[tuple[PaneKey, V]]:
    """Make the run's open panes final that end by an instant (None: all), and return them."""
    closed = []
    for key in shelf.open_until(run, end):
        pane = shelf.get(key)
        if pane is not None:
            closed.append((key, pane.closed()))
            shelf.put(*closed[-1])
    return closed


def lengthen(shelf: Shelf[V], *, run: str, now: int) -> list[tuple[PaneKey, V]]:
    """Make longer panes of the run's old ones, drop the oldest, and return the longer ones.

    The longer pane is written first. Where a crash left it at that, the shorter ones are dead.
    """
    shelf.drop(list(shelf.dead))
    longer = []
    for stage in STAGES:
        for start, keys in shelf.aged(run, stage, now):
            if stage.into:
                made = _sums(shelf, keys, start, stage.into)
                for key, pane in made:
                    shelf.put(key, pane)
                longer += made
            shelf.drop(keys)
    return longer


def _sums(shelf: Shelf[V], keys: list[PaneKey], start: int, length: int) -> list[tuple[PaneKey, V]]:
    families: dict[PaneKey, list[V]] = {}
    for key in keys:
        pane = shelf.get(key)
        if pane is not None:
            families.setdefault(PaneKey(key.family, start, length), []).append(pane)
    return [(key, reduce(add, panes)) for key, panes in families.items()]
