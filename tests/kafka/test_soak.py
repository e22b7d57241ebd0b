"""What a day would add up to, in rounds of work and of idleness: nothing is left behind by one.

F60, scaled: what grows by a little a round shows as a slope over the rounds.
"""

import asyncio
import gc
import subprocess
import sys
from pathlib import Path

import pytest

from streams.address import Topics
from streams.kafka.sink import KafkaSink
from tests.kafka.broker import running
from tests.kafka.cluster_admin import make_all, put
from tests.kafka.member import Member, connection_of, everything, member
from tests.kafka.processes import traces
from tests.kafka.waiting import eventually
from tests.streams.ports.messages import a_score

pytestmark = pytest.mark.service

ROUNDS, ROWS = 10, 1000


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def tasks() -> int:
    return len(asyncio.all_tasks())


def objects() -> int:
    gc.collect()
    return len(gc.get_objects())


async def a_round(one: Member, sink: KafkaSink, kafka: str, topic: str) -> None:
    """Read rows, finish them in turns, publish beside it, commit, and be idle for a while."""
    end = one.source.progress()[0].end + ROWS
    await put(kafka, topic, traces(ROWS))
    await eventually(lambda: len(one.rows) == ROWS)
    for row in [*one.rows[1::2], *one.rows[::2]]:
        one.source.done(row)
    one.rows.clear()
    await sink.publish([a_score() for _ in range(200)])
    await one.source.commit()
    assert one.source.progress()[0].next == end
    await asyncio.sleep(0.5)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts what Linux shows")
def test_rounds_of_work_and_idleness_leave_nothing_behind(tmp_path: Path) -> None:
    """F60 with I6: descriptors, tasks, objects, and what is remembered of rows.

    In a process and with a broker of its own: what other tests left behind comes and goes, and so
    does what a client knows of their topics.
    """
    command = [sys.executable, "-m", "tests.kafka.test_soak", str(tmp_path)]

    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603

    assert done.returncode == 0, done.stderr[-3000:]


async def soak(kafka: str) -> None:
    topics = Topics()
    await make_all(kafka, topics)
    connection = connection_of(kafka)
    async with member(connection, topics, opens=everything) as one:
        async with KafkaSink(connection, topics, "g", "0") as sink:
            seen = []
            for _ in range(ROUNDS):
                await a_round(one, sink, kafka, topics.traces)
                seen.append((descriptors(), tasks(), objects()))

        held = one.source._holdings.held[0]
        assert (len(held.opened), one.source._holdings.bytes_open) == (0, 0)
        assert held.tracker.committable() == (ROUNDS * ROWS, b"")

    (files, running, first), (files_at_end, running_at_end, last) = seen[1], seen[-1]
    rounds = ROUNDS - 2
    assert files_at_end - files < rounds / 2
    assert running_at_end - running < rounds / 2
    assert last - first < rounds * ROWS / 20


async def main(folder: Path) -> None:
    async with running(folder) as cluster:
        await soak(cluster.address)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
