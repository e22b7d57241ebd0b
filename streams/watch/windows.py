"""What a stretch of time says of one scorer: the panes of its current series, and their ledgers."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, reduce

from schemas.pane import Flow
from streams.watch.estimates.correction import Accuracy, corrected
from streams.watch.estimates.rates import Z95, Rate, bad_rate, mean_score
from streams.watch.panes.ledger import LedgerPane, added_flows
from streams.watch.panes.pane import (
    NOBODY,
    WORST,
    Family,
    K,
    ScorePane,
    Speaker,
    Strata,
    Worst,
    added,
    added_strata,
)


@dataclass(frozen=True)
class WindowView:
    """[start, end) of one scorer of one assistant, in milliseconds. A sum is made when asked for.

    `family` is the current series' total: the one with the most scored rows (a tie: the one that
    began later). `since` is where its ledgers begin: with the window, or with the series if that
    is later. Rate and mean are of the series alone. Coverage is that of all series from `since` on,
    for an error names no model, and so may not stand in the series that its answer belongs to.
    `accuracy` is that of the series' judge, None where no labels tell it.
    """

    family: Family
    start: int
    end: int
    since: int
    panes: tuple[ScorePane, ...] = ()
    every_series: tuple[ScorePane, ...] = ()
    ledgers: tuple[LedgerPane, ...] = ()
    accuracy: Accuracy | None = None

    def rate(self, *, z: float = Z95) -> Rate | None:
        """Return the share of bad answers among the rated ones, None without any."""
        return bad_rate(self.strata, self.rows, z=z)

    def corrected(self) -> Rate | None:
        """Return the rate corrected for the judge's errors, with its 95 % limits.

        None where they are not known, or are such that its verdicts say nothing.
        """
        rate = self.rate()
        return corrected(rate, self.accuracy) if rate and self.accuracy else None

    def mean(self, *, z: float = Z95) -> Rate | None:
        """Return the mean normalized score, None where nothing was scored."""
        return mean_score(self.strata, self.rows, z=z)

    @cached_property
    def strata(self) -> Strata:
        """The series' sums by stratum and probability."""
        none: Strata = {}
        return reduce(added_strata, (pane.strata for pane in self.panes), none)

    @cached_property
    def flows(self) -> dict[str, Flow]:
        """What the ledgers say of each stratum; empty where no tally came."""
        none: dict[str, Flow] = {}
        return reduce(added_flows, (pane.settled().flows for pane in self.ledgers), none)

    @property
    def rows(self) -> dict[str, int]:
        """The rows seen of each stratum, scored or not; none of a segment, which has no ledger."""
        if self.family.segment:
            return {}
        return {name: flow.seen for name, flow in self.flows.items()}

    @property
    def n(self) -> int:
        """How many rated answers are behind the rate."""
        return sum(cell.rated for cells in self.strata.values() for cell in cells.values())

    @property
    def sampled(self) -> int:
        """How many rows this scorer drew."""
        return sum(flow.sampled.get(self.family.scorer, 0) for flow in self.flows.values())

    @cached_property
    def events(self) -> dict[str, int]:
        """Events of all series by status, duplicates beside them."""
        return _sum(pane.outcomes for pane in self.every_series)

    @property
    def pending(self) -> int:
        """Rows drawn whose verdict has not come: what makes the ledger sum to zero."""
        return self.sampled - sum(self.events.values())

    @property
    def judged(self) -> float | None:
        """The first coverage: scored / (scored + errors). None without either."""
        return _share(self.events.get("scored", 0), of=self._tried)

    @property
    def seen(self) -> float | None:
        """The second coverage: events of any outcome / rows sampled. None without a ledger."""
        return _share(min(sum(self.events.values()), self.sampled), of=self.sampled)

    @property
    def coverage(self) -> float | None:
        """The smaller of both coverages, of those that are known."""
        return min((share for share in (self.judged, self.seen) if share is not None), default=None)

    @property
    def undecided(self) -> float | None:
        """The share of answers of which the judge could decide nothing, of all that it judged."""
        number = self.reasons.get("not_scorable/undecided", 0)
        return _share(number, of=number + self.outcomes.get("scored", 0))

    @cached_property
    def outcomes(self) -> dict[str, int]:
        """The series' events by status, duplicates beside them."""
        return _sum(pane.outcomes for pane in self.panes)

    @property
    def reasons(self) -> dict[str, int]:
        """Why there was no verdict, as `status/reason`."""
        return _sum(pane.reasons for pane in self.panes)

    @property
    def counts(self) -> dict[str, int]:
        """What the scorer counts in an answer, such as claims."""
        return _sum(pane.counts for pane in self.panes)

    @property
    def flags(self) -> dict[str, int]:
        """How many answers bore each flag."""
        return _sum(pane.flags for pane in self.panes)

    @property
    def histogram(self) -> dict[int, int]:
        """Answers by bin of their normalized score; empty bins are left out."""
        return _sum(pane.histogram for pane in self.panes)

    @property
    def worst(self) -> tuple[Worst, ...]:
        """The worst answers, worst first."""
        return tuple(sorted(worst for pane in self.panes for worst in pane.worst)[:WORST])

    @property
    def speaker(self) -> Speaker:
        """Who judged."""
        return max((pane.speaker for pane in self.panes), default=NOBODY)

    @property
    def _tried(self) -> int:
        return self.events.get("scored", 0) + self.events.get("error", 0)


def _share(number: int, *, of: int) -> float | None:
    return number / of if of else None


def _sum(maps: Iterable[dict[K, int]]) -> dict[K, int]:
    none: dict[K, int] = {}
    return reduce(added, maps, none)
