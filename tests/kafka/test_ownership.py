"""Whose a row is, while partitions come and go and the group may not answer."""

import asyncio
import math
import time

import pytest

from streams.kafka.held import Held, Holdings
from streams.kafka.lease import Lease
from streams.kafka.ownership import Ownership
from streams.ports import Record
from streams.tracker import Tracker

ROW = Record("rag.traces", 0, 0, None, b"{}", 0, epoch=1)


def holding() -> Holdings:
    holdings = Holdings()
    holdings.assign([0], 1)
    holdings.take(0, Held(Tracker(0, 1), "topic-id", since=0, reads=True, commits=True))
    return holdings


def ownership(holdings: Holdings, lease: Lease | None = None) -> Ownership:
    lease = lease or Lease(10, since=math.inf)
    return Ownership(holdings, lease, check_pulse=lambda: None)


async def undecided(asked: "asyncio.Task[bool]") -> bool:
    """Say whether the question still waits, though everything had its turn."""
    for _ in range(5):
        await asyncio.sleep(0)
    return not asked.done()


@pytest.mark.parametrize(("now", "runs"), [(100.0, True), (109.9, True), (110.0, False)])
def test_a_lease_runs_for_a_session_from_when_the_heartbeat_was_sent(
    now: float, runs: bool
) -> None:
    lease = Lease(10, since=50)

    lease.renew(100)
    lease.renew(95)  # an older answer that comes late shortens nothing

    assert lease.runs(now) is runs


async def test_a_row_is_ours_while_the_lease_runs() -> None:
    assert await ownership(holding()).owns(ROW)


async def test_nobody_knows_whose_a_row_is_once_the_lease_has_run_out() -> None:
    lease = Lease(10, since=-math.inf)
    asked = asyncio.create_task(ownership(holding(), lease).owns(ROW))
    assert await undecided(asked)

    lease.renew(time.monotonic())

    assert await asked


async def test_a_row_whose_lease_ran_out_may_be_somebody_elses() -> None:
    holdings = holding()
    asked = asyncio.create_task(ownership(holdings, Lease(10, since=-math.inf)).owns(ROW))
    assert await undecided(asked)

    holdings.assign([], 2)

    assert not await asked


async def test_nobody_knows_whose_a_row_is_until_its_partition_is_taken_up_again() -> None:
    holdings = holding()
    holdings.still()
    holdings.suspend()
    asked = asyncio.create_task(ownership(holdings).owns(ROW))
    holdings.assign([0], 2)
    assert await undecided(asked)

    holdings.held[0].commits = True

    assert await asked


async def test_rows_before_a_damaged_batch_go_on_and_those_of_a_flood_do_not() -> None:
    holdings = holding()

    holdings.held[0].stopped = "batch_unreadable"
    assert await ownership(holdings).owns(ROW)

    holdings.held[0].stopped = "rejections_flood"
    assert not await ownership(holdings).owns(ROW)
