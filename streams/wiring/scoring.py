"""From settings to the parts of the score half, on either broker."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from streams.folder.source import FolderSource
from streams.kafka.edges import edges as kafka_edges
from streams.pipeline import Scoring
from streams.ports import Clock, Sink, Source
from streams.scoring.allowance import allowances
from streams.scoring.books import Books
from streams.scoring.budget import Budget
from streams.scoring.events import Scorecard
from streams.scoring.panel import Seat
from streams.scoring.sampling import BodySampler, KeySampler, Sampler, Stratum
from streams.scoring.tallying import Tallying
from streams.scoring.throttle import Throttle, Throttled
from streams.subscription import Subscription
from streams.wiring.broker import Wiring

_ROWS = 64
"""Rows under way at one time, whatever the judge."""

_ENVELOPE = 1 << 16
"""Bytes of a line that key and headers may take; the value may be written with escapes."""


def longest_line(max_bytes: int) -> int:
    """Return how long a line of a folder may be that holds a row of at most so many bytes."""
    return 2 * max_bytes + _ENVELOPE


@dataclass(frozen=True, slots=True)
class ScoreWiring:
    """Makes the parts of the score half."""

    wiring: Wiring

    @property
    def in_flight(self) -> int:
        """Rows under way at one time: more than a judge takes, for some wait to ask again."""
        judge = self.wiring.settings.judge
        return max(_ROWS, 2 * judge.chat.in_flight, 2 * judge.decisions.in_flight)

    @property
    def sampler(self) -> Sampler:
        """How rows are drawn."""
        section, scorers = self.wiring.settings.sampling, self.wiring.settings.probabilities
        if section.by == "key":
            assistant = self.wiring.settings.intake.assistant or ""
            return KeySampler(section.salt, section.probability, assistant, scorers)
        strata = [
            Stratum(one.name, {name: frozenset(v) for name, v in one.when.items()}, one.probability)
            for one in section.strata
        ]
        return BodySampler(
            section.salt, section.probability, strata, scorers, self.wiring.intake.heads
        )

    def scoring(  # noqa: PLR0913 - the edges, and what stands between them
        self,
        source: Source,
        sink: Sink,
        panel: Mapping[str, Seat],
        *,
        clock: Clock,
        worker: str,
        throttle: Throttle | None = None,
        run: str | None = None,
    ) -> Scoring:
        """Return the score half between a source and a sink; `run` names a replay.

        A `throttle` takes the place of budget and backlog, which lower what is drawn.
        """
        sampler = self.sampler
        tallying = Tallying(sampler.chances, clock, run)
        if throttle is None:
            throttle = Throttled(self.budget(began=clock()), sampler, tallying, source)
        return Scoring(
            sampler=sampler,
            decode=self.wiring.intake.decode,
            panel=panel,
            scorecard=Scorecard(sampler.by, self.wiring.settings.scores.text, run),
            sink=sink,
            books=Books(tallying, source, sink, worker, run),
            clock=clock,
            throttle=throttle,
        )

    @property
    def cost_per_day(self) -> float | None:
        """What verdicts may cost in a day, in US dollars; None where nothing bounds it."""
        return self.wiring.settings.judge.budget.cost_per_day

    def budget(self, *, began: datetime) -> Budget:
        """Return what limits the verdicts of this process from now on."""
        section = self.wiring.settings.judge.budget
        limits = allowances(section.calls_per_hour, section.cost_per_day, began=began)
        return Budget(began, limits)

    @asynccontextmanager
    async def edges(
        self, *, clock: Clock, end_at_end: bool = False
    ) -> AsyncIterator[tuple[Source, Sink]]:
        """Open the traces topic and what is written, on the broker that the settings name."""
        if not self.wiring.on_kafka:
            reading_of_folder = self.source(clock=clock, end_at_end=end_at_end)
            async with self.wiring.folder_sink(clock=clock) as sink, reading_of_folder as source:
                yield source, sink
            return
        opened = kafka_edges(
            self.wiring.cluster,
            subscription=self._traces(end_at_end),
            topics=self.wiring.topics,
            clock=clock,
        )
        async with opened as both:
            yield both

    def source(self, *, clock: Clock, end_at_end: bool = False) -> FolderSource:
        """Return the traces topic, for this group."""
        traces, longest = self._traces(end_at_end), self.wiring.settings.intake.max_bytes
        return FolderSource(self.wiring.root, traces, clock, longest_line(longest))

    def _traces(self, end_at_end: bool) -> Subscription:
        kafka, topics = self.wiring.settings.kafka, self.wiring.topics
        return Subscription(
            topic=topics.traces,
            group=kafka.group,
            start=kafka.start,
            scores=topics.scores,
            end_at_end=end_at_end,
        )
