"""From settings to the parts of a replay, on either broker or from one file."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace

from schemas.run import Run
from schemas.wire import to_milliseconds
from streams.folder.extents import FileExtents, FolderExtents
from streams.folder.follower import follow_file
from streams.glance import Glance
from streams.kafka.extents import surveying
from streams.ports import Clock, Record, Source
from streams.replay.asked import Asked
from streams.replay.looking import looked_at, within
from streams.replay.planning import Survey
from streams.replay.window import EVER, Windowed
from streams.subscription import Bounds, Subscription
from streams.wiring.broker import Wiring
from streams.wiring.frozen import as_frozen, modest
from streams.wiring.replay_edges import Claim, Edges, Reading, folder_edges, kafka_edges
from streams.wiring.scoring import ScoreWiring


@dataclass(frozen=True, slots=True)
class ReplayWiring:
    """Makes the parts of a run; `wiring` has today's settings until `as_begun`.

    `dry`: nothing is written, not even the id of a folder's topic.
    """

    wiring: Wiring
    asked: Asked
    dry: bool = False

    def as_begun(self, run: Run) -> "ReplayWiring":
        """Return the parts as the run's manifest has them, with its part of the judge's slots.

        Raises ReplayRefusedError where that does not go with this version, or today's settings.
        """
        settings = as_frozen(self.wiring.settings, run.frozen)
        return replace(self, wiring=Wiring(modest(settings, run.share)))

    @property
    def topic(self) -> str:
        """The topic whose rows are judged: a file's is its name."""
        return self.wiring.topics.traces if self.asked.file is None else self.asked.file.name

    @property
    def in_flight(self) -> int:
        """Rows under way at one time: as many as are asked about, for a budget may end any moment.

        Rows that only wait for their turn would all be judged yet.
        """
        judge = self.wiring.settings.judge
        slots = {"chat": judge.chat.in_flight, "decisions": judge.decisions.in_flight}
        asked = [slots[stage] for stage in judge.stages if stage in slots]
        return max(asked, default=ScoreWiring(self.wiring).in_flight)

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
            yield FolderExtents(self.wiring.root, writes=not self.dry)
        else:
            async with surveying(self.wiring.cluster) as found:
                yield found

    def edges(self, run: Run, claim: Claim, *, clock: Clock) -> AbstractAsyncContextManager[Edges]:
        """Open what is read and written, once the run is claimed. Raises LeaseTakenError."""
        opened = kafka_edges if self.wiring.on_kafka else folder_edges
        reading = Reading(run, self._subscription(run), self.asked.file)
        return opened(self.wiring, reading, claim, clock)

    def _subscription(self, run: Run) -> Subscription:
        """Return what is read for the run, and where it ends."""
        return Subscription(
            topic=run.topic,
            group=self.group,
            scores=self.wiring.topics.scores,
            run=run.run,
            bounds=bounds(run),
        )

    def windowed(self, source: Source, run: Run, *, ending: Callable[[], None]) -> Windowed:
        """Return the source without the rows outside of the times that were asked for."""
        return Windowed(source, bounds(run), _window(run), ending)

    async def rows(self, run: Run, look: Glance) -> AsyncIterator[Sequence[Record]]:
        """Yield the run's rows, and take none."""
        within_bounds = looked_at(look, run.topic, bounds(run), _window(run))
        if self.asked.file is not None:
            batches = follow_file(self.asked.file, run.topic).batches()
            within_bounds = within(batches, bounds(run), _window(run))
        async for batch in within_bounds:
            yield batch


def bounds(run: Run) -> dict[int, Bounds]:
    """Return what a run reads of each of its partitions."""
    return {n: Bounds(at.start, at.end) for n, at in run.partitions.items()}


def _window(run: Run) -> tuple[int, int]:
    """Return the times that were asked for, in milliseconds since 1970."""
    begin, end = EVER
    if run.from_ is not None:
        begin = to_milliseconds(run.from_)
    return begin, end if run.to is None else to_milliseconds(run.to)
