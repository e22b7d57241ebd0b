"""The faults of a storm: one worker is killed every 5 s, whatever else is being done meanwhile."""

import asyncio
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from random import Random

from streams.address import Topics
from streams.command_line.options import Exit
from tests.kafka.broker import Cluster
from tests.kafka.cluster_admin import in_sync
from tests.kafka.fickle_judge import FickleJudge
from tests.kafka.history import GROUPS
from tests.kafka.score_processes import ScoreProcesses
from tests.kafka.waiting import eventually

TOPICS = Topics()
NODES = 3
KILL_EVERY_SECONDS = 5.0
FREEZE_SECONDS = 13.0
"""Longer than a session."""
PATIENCE_SECONDS = 120
"""For what takes seconds, on a machine that has other things to do."""


@dataclass
class Chaos:
    """The faults. `counts`: how many of each; `ended`: processes that nobody had asked to end."""

    some: ScoreProcesses
    cluster: Cluster
    judge: FickleJudge
    dice: Random
    counts: Counter[str] = field(default_factory=Counter)
    ended: set[str] = field(default_factory=set)
    _busy: set[str] = field(default_factory=set)

    async def rage(self, seconds: float) -> None:
        """Do one thing after another, and kill a worker every 5 s meanwhile.

        What is begun is ended: a node that is down comes back.
        """
        killing = asyncio.create_task(self._keep_killing())
        try:
            await self._keep_on(until=time.monotonic() + seconds)
        finally:
            killing.cancel()
            await asyncio.wait({killing})
        if not killing.cancelled():
            killing.result()

    async def _keep_killing(self) -> None:
        while True:
            await asyncio.sleep(KILL_EVERY_SECONDS)
            self.some.weigh()
            self.ended |= {f"{slot}: {code}" for slot, code in self.some.ended().items()}
            with self._one() as slot:
                self.some.kill(slot)
                self.some.start(slot)
                self.counts["kills"] += 1

    async def _keep_on(self, *, until: float) -> None:
        ways = {
            "node_kills": self._kill_a_node,
            "freezes": self._freeze_a_worker,
            "rolling_restarts": self._restart_all_nodes,
            "stops": self._stop_a_worker,
            "judge_outages": self._judge_away,
        }
        for name, way in cycle(ways.items()):
            if time.monotonic() >= until:
                return
            await way()
            self.counts[name] += 1

    @contextmanager
    def _one(self) -> Iterator[str]:
        """Yield a worker with which nothing else is being done."""
        slot = self.dice.choice(sorted(self.some.running.keys() - self._busy))
        self._busy.add(slot)
        try:
            yield slot
        finally:
            self._busy.remove(slot)

    async def _freeze_a_worker(self) -> None:
        with self._one() as slot:
            self.some.send(signal.SIGSTOP, slot)
            try:
                await asyncio.sleep(FREEZE_SECONDS)
            finally:
                self.some.send(signal.SIGCONT, slot)

    async def _stop_a_worker(self) -> None:
        with self._one() as slot:
            await self.stop(slot)
            self.some.start(slot)

    async def stop(self, slot: str) -> None:
        """Ask a worker to stop. One that has not begun to read says so, or dies of the signal."""
        code = await asyncio.to_thread(self.some.stop, slot)
        if code not in (Exit.DONE, Exit.CUT_OFF, -signal.SIGTERM):
            self.ended.add(f"{slot}: {code}")

    async def _judge_away(self) -> None:
        self.judge.away = True
        try:
            await asyncio.sleep(3)
        finally:
            self.judge.away = False

    async def _kill_a_node(self) -> None:
        await self._restart(self.dice.randint(1, NODES), signal.SIGKILL)

    async def _restart_all_nodes(self) -> None:
        for node in range(1, NODES + 1):
            await self._restart(node, signal.SIGTERM)

    async def _restart(self, node: int, how: signal.Signals) -> None:
        """End a node and start it again; it is in step before another one may go."""
        await asyncio.to_thread(self.cluster.end, node, how)
        self.cluster.start(node)
        await eventually(self.in_step, within=PATIENCE_SECONDS, every=0.5)

    async def in_step(self) -> bool:
        """Say whether every partition has all of its replicas."""
        named = (TOPICS.traces, TOPICS.scores, TOPICS.marks, TOPICS.dead, GROUPS)
        return all([await in_sync(self.cluster.address, name, copies=NODES) for name in named])
