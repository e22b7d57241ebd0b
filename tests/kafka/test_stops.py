"""Workers that are stopped, frozen or busy: they end in time, and come back without harm.

F04 zombie · F05 stop with a long call in flight · F06 second signal · F61 blocked event loop
"""

import signal
import time
from pathlib import Path

import pytest

from streams.address import Topics
from tests.kafka.cluster_admin import commits_of, make_all, put
from tests.kafka.flow import accounted, all_settled, plan_of, prepare
from tests.kafka.member import connection_of, everything, member
from tests.kafka.processes import traces, workers
from tests.kafka.waiting import eventually
from tests.kafka.worker import Entry

pytestmark = pytest.mark.service


async def test_a_stop_waits_for_calls_in_flight_and_no_longer_than_it_may(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    """F05 with I9 and I1: a call of 60 s, and 3 s to drain; the row comes again, and is scored."""
    await prepare(kafka, topics, 40, partitions=1)

    with workers(plan_of(kafka, topics, tmp_path, calls=(60, 60), drain_seconds=3)) as some:
        some.start()
        await eventually(lambda: some.begun() == 16)
        began = time.monotonic()
        assert some.stop() == 1
        assert time.monotonic() - began < 8
    with workers(plan_of(kafka, topics, tmp_path)) as some:
        some.start()
        await eventually(lambda: all_settled(kafka, topics, 40), every=0.5)
        assert some.stop() == 0

    found = await accounted(some)
    assert (found.lost, found.paid_twice_not_in_flight, found.paid_twice_in_flight) == (0, 0, 16)


async def test_a_stop_under_load_leaves_nothing_to_be_paid_again(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    """F05: what was in flight finishes, and its rows are committed."""
    await prepare(kafka, topics, 200)

    with workers(plan_of(kafka, topics, tmp_path)) as some:
        some.start()
        await eventually(lambda: some.begun() >= 60)
        assert some.stop() == 0
        some.start()
        await eventually(lambda: all_settled(kafka, topics, 200), every=0.5)

    found = await accounted(some)
    assert (found.lost, found.paid_twice_not_in_flight, found.paid_twice_in_flight) == (0, 0, 0)
    assert found.repeated_events == 0


async def test_a_second_signal_ends_it_at_once(kafka: str, topics: Topics, tmp_path: Path) -> None:
    """F06 with I9"""
    await prepare(kafka, topics, 20, partitions=1)

    with workers(plan_of(kafka, topics, tmp_path, calls=(60, 60))) as some:
        some.start()
        await eventually(lambda: some.begun() > 0)
        some.send(signal.SIGTERM)
        await eventually(lambda: "stopping" in some.log())
        began = time.monotonic()
        assert some.stop() == 1
        assert time.monotonic() - began < 5


async def test_a_frozen_worker_that_wakes_up_harms_nobody(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    """F04 with I1, I3 and I4: stopped for three sessions with calls in flight, then going on."""
    await prepare(kafka, topics, 300)
    plan = plan_of(kafka, topics, tmp_path, session_seconds=1.5)

    with workers(plan) as some:
        some.start("a")
        await eventually(lambda: some.begun() >= 40)
        frozen = some.running["a"].pid
        some.send(signal.SIGSTOP, "a")
        some.start("b")
        before = await commits_of(kafka, plan.group, topics.traces)
        await eventually(lambda: others(some.entries(), frozen) >= 100)
        some.send(signal.SIGCONT, "a")
        await eventually(lambda: all_settled(kafka, topics, 300), every=0.5)
        after = await commits_of(kafka, plan.group, topics.traces)
        assert some.stop("a") == 0
        assert some.stop("b") == 0

    assert all(after[number][0] >= offset for number, (offset, _) in before.items())
    found = await accounted(some)
    assert (found.lost, found.unsafe, found.backward) == (0, 0, 0)
    assert found.paid_twice_in_flight + found.paid_twice_not_in_flight <= plan.in_flight


async def test_a_frozen_worker_that_wakes_up_asks_nothing_about_what_others_have_judged(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    """F04 with I2: its rows were to be asked about again, and another worker has paid for them."""
    await prepare(kafka, topics, 200)
    busy = tmp_path / "busy"
    plan = plan_of(kafka, topics, tmp_path, session_seconds=1.5, busy=str(busy))

    with workers(plan) as some:
        busy.touch()
        some.start("a")
        await eventually(lambda: len(some.entries("busy")) >= plan.in_flight)
        some.send(signal.SIGSTOP, "a")
        busy.unlink()
        some.start("b")
        await eventually(lambda: all_settled(kafka, topics, 200), every=0.5)
        some.send(signal.SIGCONT, "a")
        await eventually(lambda: "frozen" in some.log("a"))
        assert some.stop("a") == 0
        assert some.stop("b") == 0

    found = await accounted(some)
    assert (found.lost, found.paid_twice_in_flight, found.paid_twice_not_in_flight) == (0, 0, 0)


def others(entries: list[Entry], pid: int) -> int:
    """Return how many calls were begun by other processes."""
    return sum(entry.what == "begin" and entry.pid != pid for entry in entries)


async def test_a_blocked_event_loop_costs_the_membership_and_no_row(
    kafka: str, topics: Topics
) -> None:
    """F61: blocked for two sessions; the group gives its partitions away, and takes it back."""
    await make_all(kafka, topics, partitions=2)
    await put(kafka, topics.traces, traces(10))

    async with member(connection_of(kafka), topics, opens=everything) as one:
        await eventually(lambda: len(one.rows) == 10)
        time.sleep(6)  # noqa: ASYNC251 - to block is the test
        await put(kafka, topics.traces, traces(5, first=10))

        def all_done() -> bool:
            one.finish()
            return one.source.progress().get(0, (0, 0))[0] == 15

        await eventually(all_done)
        assert one.source.incidents.counts["frozen"] == 1
