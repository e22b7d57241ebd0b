"""A day of rows that is told to a watch, and what its alerts were."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from schemas.alert import Alert
from schemas.mark import Mark, Tick
from schemas.score import Outcome, ScoreEvent
from schemas.tally import Tally
from streams.links import NO_LINKS, Links
from streams.watch.fold import Watch
from streams.watch.options import Options
from streams.watch.rules.blind import BlindRule
from streams.watch.rules.kinds import Rule
from streams.watch.rules.threshold import ThresholdRule
from streams.watch.rules.traffic import TrafficRule
from tests.streams.watch.records import (
    SCORER,
    a_mark,
    a_score,
    a_tally,
    at,
    bad,
    good,
)

BAD_ANSWERS = ThresholdRule(
    name="bad-answers",
    kind="threshold",
    scorer=SCORER,
    above=0.1,
    window=timedelta(minutes=30),
    min_n=30,
)


BLIND = BlindRule(name="blind", kind="blind")
SILENCE = TrafficRule(name="silence", kind="traffic")
Message = ScoreEvent | Tally | Mark | Tick


class Day:
    """A stream of one row every ten seconds, with a mark after each, told to a watch."""

    def __init__(self, *rules: Rule, links: Links = NO_LINKS) -> None:
        self.options = Options(rules=rules, segments=("prompt_version",), links=links)
        self.watch = Watch(self.options)
        self.told: list[tuple[Message, int]] = []
        self.alerts: list[Alert] = []
        self.row = 0
        self.offset = 0

    def tell(self, *messages: Message) -> None:
        for message in messages:
            offset = self.offset
            said = self.watch.fold(message, offset=offset)
            self.told.append((message, offset))
            self.offset += not isinstance(message, Mark | Tick)
            self.alerts += [each for each in said if isinstance(each, Alert)]

    def rows(
        self,
        start: int,
        end: int,
        outcome: Callable[[int], Outcome],
        *,
        series: str = "s1",
        version: Callable[[int], str] = lambda n: "v1",
    ) -> None:
        for second in range(start, end, 10):
            n = self.row
            self.row += 1
            attributes = {"prompt_version": version(n)}
            event = a_score(n, second, outcome(n), series=series, attributes=attributes)
            self.tell(event, a_tally(second - second % 60, rows=(n, n + 1)))
            self.tell(a_mark(second + 5, scores=2 * self.row))

    def idle(self, start: int, end: int) -> None:
        for second in range(start, end, 10):
            self.tell(a_mark(second + 5, scores=2 * self.row))

    @property
    def steps(self) -> list[tuple[str, float]]:
        """Return status and minute of each alert."""
        return [(alert.status, (alert.evaluated_at - at(0)).seconds / 60) for alert in self.alerts]


def every(n: int) -> Callable[[int], Outcome]:
    return lambda row: bad() if row % n == 0 else good()


def never(_: int) -> Outcome:
    return good()


def told_by(messages: Sequence[tuple[Message, int]], watch: Watch) -> list[Alert]:
    said = [each for m, offset in messages for each in watch.fold(m, offset=offset)]
    return [each for each in said if isinstance(each, Alert)]
