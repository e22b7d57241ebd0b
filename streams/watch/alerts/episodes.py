"""When alerts fired on a scorer's answers: times that say nothing of what is usual."""

from collections.abc import MutableMapping
from typing import NamedTuple

from streams.watch.history import USUAL_AFTER, Span
from streams.watch.panes.pane import DAY, Family

REMEMBERED = 35 * DAY
"""Longer than any window that is compared with lies back."""


class Episode(NamedTuple):
    """An alert of a rule. It spoils [start, end), and until it ends (None) all that comes."""

    rule: str
    start: int
    end: int | None = None


Episodes = MutableMapping[Family, tuple[Episode, ...]]
"""By scorer or segment, without series."""


def note(episodes: Episodes, family: Family, episode: Episode, *, at: int) -> None:
    """Remember an episode in place of what was known of it, and forget the oldest."""
    others = [
        other
        for other in episodes.get(family, ())
        if (other.rule, other.start) != (episode.rule, episode.start)
        and (other.end is None or other.end > at - REMEMBERED)
    ]
    episodes[family] = tuple(sorted([*others, episode], key=lambda one: (one.start, one.rule)))


def alerted(episodes: Episodes, family: Family, *, at: int) -> list[Span]:
    """Return the times that are spoilt for a scorer, or for a segment of it, up to now."""
    whole = family._replace(segment="")
    found = [*episodes.get(whole, ()), *(episodes.get(family, ()) if family.segment else ())]
    ends = ((one.start, at if one.end is None else one.end) for one in found)
    return [(start, min(end, start + USUAL_AFTER)) for start, end in ends]
