"""What the fold is told, and cannot read from its records."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from schemas.alert import Alert
from streams.links import NO_LINKS, Links
from streams.watch.estimates.correction import Accuracies
from streams.watch.rules.kinds import Rule


@dataclass(frozen=True, slots=True)
class Options:
    """What the fold is told. `max_panes` is this partition's share of the bound.

    `standing`: the alerts that nobody has resolved, where the tables do not outlive the process.
    Those that no rule leads to any more are resolved with the first tick. `accuracies` by series.
    `links` stand on every alert.
    """

    rules: Sequence[Rule] = ()
    segments: Sequence[str] = ()
    lateness: timedelta = timedelta(minutes=5)
    max_panes: int = 200_000
    standing: Sequence[Alert] = ()
    accuracies: Accuracies = field(default_factory=dict)
    links: Links = NO_LINKS
