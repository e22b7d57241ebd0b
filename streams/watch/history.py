"""What a rule may look back on: one scorer's windows, and those times that no alert spoils."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

from schemas.pane import Flow
from streams.watch.estimates.correction import Accuracies
from streams.watch.estimates.rates import Rate, bad_rate
from streams.watch.panes.ledger import LedgerPane, added_flows
from streams.watch.panes.pane import DAY, Family, ScorePane, Strata, added_strata
from streams.watch.panes.shelf import Shelf
from streams.watch.views import informed, segment_of, view
from streams.watch.windows import WindowView

Span = tuple[int, int]
"""[start, end) in milliseconds."""

USUAL_AFTER = 7 * DAY
"""An alert that has stood for so long no longer spoils: what lasts a week is the usual."""


@dataclass(frozen=True, slots=True)
class History:
    """A scorer (a family without series), or a segment of it, as seen from the end of a window.

    `alerted` are the times in which an alert fired on it.
    """

    scores: Shelf[ScorePane]
    ledgers: Shelf[LedgerPane]
    scorer: Family
    at: int
    segment: str = ""
    alerted: Sequence[Span] = ()
    accuracies: Accuracies = field(default_factory=dict)

    def last(self, length: int) -> WindowView:
        """Return the last window of a length in milliseconds."""
        start = self.at - length
        seen = view(self.scores, self.ledgers, self.scorer, start=start, end=self.at)
        seen = informed(seen, self.accuracies)
        return segment_of(seen, self.scores, self.segment) if self.segment else seen

    @property
    def whole(self) -> "History":
        """The history of all segments together."""
        return replace(self, segment="")

    def segments(self, seen: WindowView, name: str) -> list[str]:
        """Return the values of an attribute that a window's series has rows of."""
        families = self.scores.children(seen.family._replace(segment=""))
        named = (one for one in families if one.segment.partition("=")[0] == name)
        return [one.segment for one in named if self.scores.has(one, seen.start, seen.end)]

    def minutes(self, family: Family, length: int) -> list[ScorePane]:
        """Return the panes of a series in the last window, earliest first, each as it is kept."""
        return self.scores.between(family, self.at - length, self.at)

    def since(self, family: Family) -> int:
        """Return when a series began."""
        return self.scores.first(family) or 0

    def strata(self, family: Family, spans: Iterable[Span]) -> Strata:
        """Return the sums of a series, or of a segment of it, over some times."""
        none: Strata = {}
        panes = (pane for start, end in spans for pane in self.scores.pieces(family, start, end))
        return reduce(added_strata, (pane.strata for pane in panes), none)

    def rate(self, family: Family, spans: Sequence[Span], *, z: float) -> Rate | None:
        """Return a series' rate over some times, None without rated answers."""
        return bad_rate(self.strata(family, spans), self._rows(family, spans), z=z)

    def spoilt(self, span: Span) -> bool:
        """Say whether an alert fired in some part of a span."""
        start, end = span
        return any(begin < end and start < stop for begin, stop in self.alerted)

    def sound(self, *, end: int, length: int) -> list[Span]:
        """Return the last `length` before `end` in which no alert fired, latest first."""
        found: list[Span] = []
        at, left = end, length
        for begin, stop in sorted(self.alerted, key=lambda span: span[1], reverse=True):
            since = max(stop, at - left)
            if since < at:
                found.append((since, at))
                left -= at - since
            at = min(at, begin)
            if left <= 0:
                return found
        return [*found, (at - left, at)]

    def _rows(self, family: Family, spans: Iterable[Span]) -> dict[str, int]:
        if family.segment:
            return {}
        books = Family(family.assistant, run=family.run)
        since = self.since(family)
        panes = (
            p for start, end in spans for p in self.ledgers.pieces(books, max(start, since), end)
        )
        none: dict[str, Flow] = {}
        flows = reduce(added_flows, (pane.settled().flows for pane in panes), none)
        return {name: flow.seen for name, flow in flows.items()}
