"""The event loop and the memory of this process: whether they leave room to work."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn

from streams.telemetry.capped import Capped
from streams.telemetry.metrics import Metric
from streams.telemetry.sample import Sample
from streams.vitals.memory import FULL, TIGHT, Memory, MemoryFullError

BEAT_SECONDS = 0.25
DEAD_LAG_SECONDS = 8.0
"""A loop that stands for a session (10 s) is put out of its group."""


@dataclass(slots=True)
class Process:
    """A `Part`; `keep` must run beside the work."""

    memory: Memory = field(default_factory=Memory)
    assistants: Capped = field(default_factory=lambda: Capped(most=1))
    tight: bool = False
    """Whether so much of the memory is used that work should slow down."""
    lag: float = 0.0
    """How late the last timer was, in seconds."""
    worst: float = 0.0
    """The latest since the gauges were read."""

    async def keep(self) -> NoReturn:
        """Measure how late timers are, and how much memory is used.

        Raises MemoryFullError at 95 % of the cgroup's limit.
        """
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + BEAT_SECONDS
            await asyncio.sleep(BEAT_SECONDS)
            self.lag = max(0.0, loop.time() - due)
            self.worst = max(self.worst, self.lag)
            self.check_memory()

    def check_memory(self) -> None:
        """Say whether memory is tight. Raises MemoryFullError where it is all but used up."""
        share = self.memory.share() or 0.0
        self.tight = share >= TIGHT
        if share >= FULL:
            raise MemoryFullError(
                f"{share:.0%} of the cgroup's memory is used: give more, or lower in_flight"
            )

    def samples(self) -> Iterator[Sample]:
        """Yield the worst lag since the last time, the memory, and what was not named."""
        worst, self.worst = self.worst, 0.0
        yield Sample(Metric.LOOP_LAG, worst)
        for metric, found in (
            (Metric.MEMORY, self.memory.used()),
            (Metric.MEMORY_LIMIT, self.memory.limit()),
        ):
            if found is not None:
                yield Sample(metric, found)
        yield Sample(Metric.UNNAMED, self.assistants.beyond)

    def dead(self) -> Iterator[str]:
        """Say so where the loop stood."""
        if self.lag > DEAD_LAG_SECONDS:
            yield f"the event loop stood for {self.lag:.0f} s"

    def unready(self) -> Iterator[str]:
        """Yield nothing: a full process ends."""
        yield from ()
