"""Everything at once: workers killed, frozen and stopped, nodes restarted, a judge that fails.

    python -m tests.kafka.chaos [SECONDS] [--seed N]

Three workers (`streamgauge score`, the real command) read eight partitions of a three-node cluster,
under a writer that never pauses; one of them is killed every 5 s, whatever else goes on. Then all
faults end, what is left is worked off, and the topics and the judge's ledger alone say what was
lost and what was paid twice (`accounts`). Last line: one JSON object. Exit code 1 where one of the
invariants I1 to I6 does not hold.
"""

import argparse
import asyncio
import json
import logging
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from streams.address import Topics
from streams.intake.decode import Intake
from streams.scoring.sampling import BodySampler
from streams.tracker import SPAN
from tests.kafka.accounts import Account, account, owed
from tests.kafka.broker import Cluster, running
from tests.kafka.cluster_admin import in_sync
from tests.kafka.fickle_judge import FickleJudge, fickle_judge
from tests.kafka.flow import make_stamped
from tests.kafka.history import GROUPS
from tests.kafka.score_processes import GROUP, ScoreProcesses, score_processes
from tests.kafka.waiting import eventually
from tests.kafka.writing import written_on

WORKERS, PARTITIONS, NODES = 3, 8, 3
KILL_EVERY_SECONDS = 5.0
FREEZE_SECONDS = 13.0
"""Longer than a session."""
PROBABILITY = 0.6
IN_FLIGHT = 32
RSS_LIMIT_MB = 200
CALM_SECONDS = 120
TOPICS = Topics()
SAMPLER = BodySampler("streamgauge", PROBABILITY, [], {"faithfulness": None}, Intake().head)


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
        """Do one thing after another, and kill a worker every 5 s meanwhile."""
        raging = [asyncio.create_task(one) for one in (self._keep_killing(), self._keep_on())]
        done, _ = await asyncio.wait(raging, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
        for task in raging:
            task.cancel()
        await asyncio.wait(raging)
        for task in done:
            task.result()

    async def _keep_killing(self) -> None:
        while True:
            await asyncio.sleep(KILL_EVERY_SECONDS)
            self.some.weigh()
            self.ended |= {f"{slot}: {code}" for slot, code in self.some.ended().items()}
            with self._one() as slot:
                self.some.kill(slot)
                self.some.start(slot)
                self.counts["kills"] += 1

    async def _keep_on(self) -> None:
        ways = {
            "node_kills": self._kill_a_node,
            "freezes": self._freeze_a_worker,
            "rolling_restarts": self._restart_all_nodes,
            "stops": self._stop_a_worker,
            "judge_outages": self._judge_away,
        }
        while True:
            for name, way in ways.items():
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
        """Ask a worker to stop. One that has not begun to read yet dies of the signal itself."""
        code = await asyncio.to_thread(self.some.stop, slot)
        if code not in (0, -signal.SIGTERM):
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
        await eventually(self.in_step, within=60, every=0.5)

    async def in_step(self) -> bool:
        """Say whether every partition has all of its replicas."""
        named = (TOPICS.traces, TOPICS.scores, TOPICS.marks, TOPICS.dead, GROUPS)
        return all([await in_sync(self.cluster.address, name, copies=NODES) for name in named])


@dataclass(frozen=True)
class Outcome:
    """What a storm did, and what became of everything."""

    chaos: Chaos
    found: Account

    @property
    def broken(self) -> list[str]:
        """The invariants that do not hold. (I5 was waited for.)"""
        found, faults = self.found, self.chaos.counts.total()
        bound = faults * WORKERS * IN_FLIGHT
        holds = {
            "I1": found.lost == found.untallied == 0,
            "I2": not found.paid_twice_not_in_flight
            and found.paid_twice_in_flight <= bound
            and found.repeated_events <= bound,
            "I3": not found.unsafe,
            "I4": not found.backward,
            "I6": self.chaos.some.most_rss_mb <= RSS_LIMIT_MB and found.widest_map <= SPAN,
            "stopped only when asked to": not self.chaos.ended,
        }
        return [name for name, held in holds.items() if not held]


async def storm(folder: Path, *, seconds: float, seed: int) -> Outcome:
    """Let it rage, let it calm down, and settle."""
    dice = Random(seed)
    async with running(folder, nodes=NODES) as cluster, fickle_judge(dice) as (judge, url):
        servers = cluster.address
        await make_stamped(servers, TOPICS, partitions=PARTITIONS, copies=NODES)
        with score_processes(
            folder, servers, url, topics=TOPICS, probability=PROBABILITY, in_flight=IN_FLIGHT
        ) as some:
            judge.pids = some.pids
            slots = [f"w{number}" for number in range(WORKERS)]
            for slot in slots:
                some.start(slot)
            chaos = Chaos(some, cluster, judge, dice)
            async with written_on(servers, TOPICS.traces, PARTITIONS):
                await eventually(lambda: len(judge.paid) > 50, within=60)
                await chaos.rage(seconds)
            await eventually(chaos.in_step, within=60, every=0.5)
            await _calm(servers)
            for slot in slots:
                await chaos.stop(slot)
        found = await account(servers, TOPICS, judge.paid, group=GROUP, sampler=SAMPLER)
        return Outcome(chaos, found)


async def _calm(servers: str) -> None:
    """I5: once the faults have ended, what is left is worked off within two minutes."""

    async def worked_off() -> bool:
        return await owed(servers, TOPICS, SAMPLER) == 0

    await eventually(worked_off, within=CALM_SECONDS, every=2)


def main() -> int:
    """Run it, print what came of it, and say whether the invariants hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("seconds", type=float, nargs="?", default=180)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)  # it tells of every node that goes
    with tempfile.TemporaryDirectory() as folder:
        outcome = asyncio.run(storm(Path(folder), seconds=asked.seconds, seed=asked.seed))
    chaos, found = outcome.chaos, outcome.found
    result = {
        "lost": found.lost,
        "paid_twice_not_in_flight": found.paid_twice_not_in_flight,
        "paid_twice_in_flight": found.paid_twice_in_flight,
        **chaos.counts,
        "rows": found.rows,
        "events": found.events,
        "repeated_events": found.repeated_events,
        "untallied": found.untallied,
        "unsafe_commits": found.unsafe,
        "generations": found.generations,
        "rss_mb": round(chaos.some.most_rss_mb),
        "ended": sorted(chaos.ended),
        "broken": outcome.broken,
    }
    sys.stdout.writelines(f"{line}\n" for line in found.explained)
    sys.stdout.write(json.dumps(result) + "\n")
    return 1 if outcome.broken else 0


if __name__ == "__main__":
    sys.exit(main())
