"""What changed: the series, the rate since the day before, and the segments that moved it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from streams.watch.alerts.words import minute
from streams.watch.estimates.changes import Change, Weighed, change, contributions, weighed
from streams.watch.estimates.rates import Z95
from streams.watch.history import History
from streams.watch.panes.pane import DAY
from streams.watch.windows import WindowView

LEAST_BEFORE = 30
"""Rated answers before a window without which no change is told: its limits would say nothing."""


@dataclass(frozen=True, slots=True)
class Hints:
    """The change of the rate, None without a day before, and what each segment adds to it.

    `segments` names for each attribute the value that accounts for most, `share` how much that is,
    as a difference of rates, `new` when it came if that was in the last day. `began` is when the
    series took another one's place, if that was. Both in milliseconds since 1970.
    """

    moved: Change | None = None
    segments: Mapping[str, str] = field(default_factory=dict)
    share: Mapping[str, float] = field(default_factory=dict)
    new: Mapping[str, int] = field(default_factory=dict)
    began: int | None = None


def hints(history: History, seen: WindowView) -> Hints:
    """Compare a window with the last day before it in which no alert fired."""
    family = seen.family
    spans = history.sound(end=seen.start, length=DAY)
    rate, before = seen.rate(), history.rate(family, spans, z=Z95)
    known = rate is not None and before is not None and before.n >= LEAST_BEFORE
    totals = weighed(seen.strata), weighed(history.strata(family, spans)) if known else Weighed()
    parts: defaultdict[str, dict[str, tuple[Weighed, Weighed]]] = defaultdict(dict)
    for one in history.scores.children(family):
        name, _, value = one.segment.partition("=")
        now = weighed(history.strata(one, [(seen.start, seen.end)]))
        earlier = weighed(history.strata(one, spans)) if known else Weighed()
        parts[name][value] = earlier, now
    segments, share = {}, {}
    for name, values in sorted(parts.items()):
        added = contributions(values, now=totals[0], before=totals[1])
        most = max(added, key=lambda value: (added[value], value), default="")
        if added.get(most, 0.0) > 0:
            segments[name], share[name] = most, added[most]
    moved = change(rate, before) if rate and before and known else None
    came = {name: _came(history, seen, f"{name}={value}") for name, value in segments.items()}
    new = {name: at for name, at in came.items() if at is not None}
    return Hints(moved, segments, share, new, _began(history, seen))


def _came(history: History, seen: WindowView, segment: str) -> int | None:
    """Return when a segment's first answers were, if that was in the last day, and not at first."""
    first = history.since(seen.family._replace(segment=segment))
    begun = history.since(seen.family._replace(segment=""))
    return first if first > max(begun, seen.end - DAY) else None


def _began(history: History, seen: WindowView) -> int | None:
    """Return when the series began, if that was in the last day, and there was another before."""
    begun = history.since(seen.family._replace(segment=""))
    others = history.scores.children(history.scorer._replace(segment=""))
    follows = any(history.since(one) < begun for one in others)
    return begun if follows and begun > seen.end - DAY else None


def described(found: Hints) -> str:
    """Return the change in words, empty where nothing is known of it."""
    words = []
    if found.began is not None:
        words.append(f"A new series began at {minute(found.began)}.")
    if found.moved:
        value, lower, upper = (100 * figure for figure in found.moved)
        between = f"({lower:+.0f} to {upper:+.0f})"
        words.append(f"Bad answers {value:+.0f} points {between} on the day before.")
    words += [
        f"{name}={value}{_since(found.new.get(name))} accounts for "
        f"{100 * found.share[name]:+.0f} points."
        for name, value in found.segments.items()
        if found.moved
    ]
    return " ".join(words)


def _since(at: int | None) -> str:
    return "" if at is None else f" (new since {minute(at)})"
