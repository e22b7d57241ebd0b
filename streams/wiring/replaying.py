"""From settings to the parts of a replay, on either broker or from one file."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple

from schemas.run import Run
from schemas.wire import to_milliseconds
from streams.folder.extents import FileExtents, FolderExtents
from streams.folder.lease import lock_as_lease
from streams.folder.source import FolderSource
from streams.kafka.extents import surveying
from streams.kafka.probe import reaching
from streams.kafka.replaying import KafkaReplaySource
from streams.kafka.sink import KafkaSink
from streams.live import worker_name
from streams.pace import now
from streams.pipeline import Scoring
from streams.ports import Clock, Sink, Source
from streams.replay.asked import Asked
from streams.replay.planning import ReplayRefusedError, Survey
from streams.replay.runs import Post
from streams.replay.window import EVER, Windowed
from streams.scoring.books import Books
from streams.scoring.events import Scorecard
from streams.scoring.panel import Seat
from streams.scoring.tallying import Tallying
from streams.scoring.throttle import Throttle
from streams.settings.frozen import as_frozen
from streams.settings.load import Settings
from streams.subscription import Bounds, Subscription
from streams.version import VERSION
from streams.wiring.broker import Wiring
from streams.wiring.scoring import ScoreWiring, longest_line

Leased = Callable[[], bool]
"""Says whether the run is ours."""


class Edges(NamedTuple):
    """What a run reads, where it writes, and the rows that it found gone, by partition."""

    source: Source
    sink: Sink
    gaps: Callable[[], Mapping[int, int]]


@dataclass(frozen=True, slots=True)
class ReplayWiring:
    """Makes the parts of a run; `wiring` has today's settings until `as_begun`."""

    wiring: Wiring
    asked: Asked

    def as_begun(self, run: Run) -> "ReplayWiring":
        """Return the parts as the run's manifest has them, with its part of the judge's slots.

        Raises SettingsError where this version cannot read what another one kept.
        """
        settings = as_frozen(self.wiring.settings, run.frozen)
        return replace(self, wiring=Wiring(_modest(settings, run.share)))

    @property
    def topic(self) -> str:
        """The topic whose rows are judged: a file's is its name."""
        return self.wiring.topics.traces if self.asked.file is None else self.asked.file.name

    @property
    def group(self) -> str:
        """The group that the run's offsets are committed for."""
        return self.asked.group(self.wiring.settings.kafka.group)

    @asynccontextmanager
    async def survey(self) -> AsyncIterator[Survey]:
        """Yield what looks up the bounds of a reading. Raises ConnectionError."""
        if self.asked.file is not None:
            yield FileExtents(self.asked.file)
        elif not self.wiring.on_kafka:
            yield FolderExtents(self.wiring.root)
        else:
            async with surveying(self.wiring.cluster) as found:
                yield found

    @asynccontextmanager
    async def edges(
        self, run: Run, claim: Callable[[Post], Awaitable[Leased]], *, clock: Clock
    ) -> AsyncIterator[Edges]:
        """Yield what is read and written, once the run is claimed. Raises LeaseTakenError.

        On a folder the group's lock is a lease, too, and one process writes to its topics.
        """
        opened = self._on_kafka if self.wiring.on_kafka else self._on_folder
        async with opened(run, claim, clock) as edges:
            yield edges

    @asynccontextmanager
    async def _on_folder(
        self, run: Run, claim: Callable[[Post], Awaitable[Leased]], clock: Clock
    ) -> AsyncIterator[Edges]:
        names, subscription = self.wiring.topics, self._subscription(run)
        longest = longest_line(self.wiring.settings.intake.max_bytes)
        source = FolderSource(self.wiring.root, subscription, clock, longest, file=self.asked.file)
        async with AsyncExitStack() as stack:
            with lock_as_lease(run.key):
                await stack.enter_async_context(source)
            sink = await stack.enter_async_context(self.wiring.folder_sink(clock=clock))
            sink.claim(names.scores, names.marks, names.runs)
            await claim(sink)
            yield Edges(source, sink, dict)

    @asynccontextmanager
    async def _on_kafka(
        self, run: Run, claim: Callable[[Post], Awaitable[Leased]], clock: Clock
    ) -> AsyncIterator[Edges]:
        cluster, names = self.wiring.cluster, self.wiring.topics
        async with AsyncExitStack() as stack:
            async with reaching(cluster):
                sink = KafkaSink(cluster, names, self.group, VERSION, more=(names.runs,))
                await stack.enter_async_context(sink)
                leased = await claim(sink)
                source = KafkaReplaySource(
                    cluster,
                    self._subscription(run),
                    clock,
                    epoch=run.life,
                    leased=leased,
                    topic_id=run.topic_id,
                    of=run.of,
                    began_at=run.began_at,
                )
                await stack.enter_async_context(source)
            yield Edges(source, sink, lambda: source.gaps)

    def _subscription(self, run: Run) -> Subscription:
        """Return what is read for the run, and where it ends."""
        return Subscription(
            topic=run.topic,
            group=self.group,
            scores=self.wiring.topics.scores,
            run=run.run,
            bounds=_bounds(run),
        )

    def windowed(self, source: Source, run: Run) -> Windowed:
        """Return the source without the rows outside of the times that were asked for."""
        begin, end = EVER
        if run.from_ is not None:
            begin = to_milliseconds(run.from_)
        if run.to is not None:
            end = to_milliseconds(run.to)
        return Windowed(source, _bounds(run), (begin, end))

    def scoring(  # noqa: PLR0913 - the edges, and what stands between them
        self,
        source: Source,
        sink: Sink,
        panel: Mapping[str, Seat],
        throttle: Throttle,
        *,
        run: str,
        clock: Clock = now,
    ) -> Scoring:
        """Return the score half of a run."""
        sampler = ScoreWiring(self.wiring).sampler
        tallying = Tallying(sampler.chances, clock, run)
        return Scoring(
            sampler=sampler,
            decode=self.wiring.intake.decode,
            panel=panel,
            scorecard=Scorecard(sampler.by, self.wiring.settings.scores.text, "replay", run),
            sink=sink,
            books=Books(tallying, source, sink, worker_name(), run),
            clock=clock,
            throttle=throttle,
        )


def drawing_more(settings: Settings, probability: float | None) -> Settings:
    """Return settings by which every row is drawn with that chance at least.

    Raises ReplayRefusedError where it would leave out rows that the settings draw.
    """
    if probability is None:
        return settings
    sampling = settings.sampling
    if probability < sampling.probability:
        raise ReplayRefusedError(
            f"--probability {probability:g} is below the settings' {sampling.probability:g}: a "
            "replay may draw more rows than live scoring, never fewer"
        )
    strata = tuple(
        one.model_copy(update={"probability": max(one.probability, probability)})
        for one in sampling.strata
    )
    more = sampling.model_copy(update={"probability": probability, "strata": strata})
    return settings.model_copy(update={"sampling": more})


def _modest(settings: Settings, share: float) -> Settings:
    """Return settings in which each judge has that part of its slots, and one at least."""
    judge = settings.judge
    parts = {
        name: section.model_copy(update={"in_flight": max(1, int(section.in_flight * share))})
        for name, section in (("chat", judge.chat), ("decisions", judge.decisions))
    }
    return settings.model_copy(update={"judge": judge.model_copy(update=parts)})


def _bounds(run: Run) -> dict[int, Bounds]:
    return {n: Bounds(at.start, at.end) for n, at in run.partitions.items()}
