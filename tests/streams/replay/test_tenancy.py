"""Claiming a run, keeping it, and giving it up in time."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest

from schemas.run import Run, RunLease
from streams.pace import until
from streams.replay.lease import LeaseLostError, LeaseTakenError, Tenant
from streams.replay.tenancy import Tenancy, this_process
from tests.fakes import NOON
from tests.streams.replay.test_lease import written


@dataclass
class RunsTopic:
    """The topic of runs, and a time that all of its processes share.

    `refuses`: writes fail. `together`: the first writes of all wait for one another.
    """

    log: list[Run] = field(default_factory=list)
    seconds: float = 0
    refuses: bool = False
    together: asyncio.Barrier | None = None
    waited: int = 0

    def clock(self) -> datetime:
        return NOON + timedelta(seconds=self.seconds)

    async def write(self, lease: RunLease | None) -> None:
        if self.together is not None and self.waited < self.together.parties:
            self.waited += 1
            await self.together.wait()
        if self.refuses:
            raise ConnectionError("no broker")
        self.log.append(written(lease, at=self.seconds))

    async def read(self) -> Sequence[Run]:
        return list(self.log)

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        await asyncio.sleep(0)

    def latest(self) -> Run | None:
        return self.log[-1] if self.log else None

    def tenancy(self, nonce: str) -> Tenancy:
        return Tenancy(
            "r",
            Tenant(nonce, nonce, 1, lambda _: True),
            self.write,
            self.read,
            self.clock,
            stopwatch=lambda: self.seconds,
            sleep=self.sleep,
        )


async def test_a_free_run_is_ours_once_it_is_claimed() -> None:
    topic = RunsTopic()
    one = topic.tenancy("a")

    assert not one.holds()
    await one.claim(topic.latest())

    assert one.holds()


async def test_a_second_process_is_refused_and_writes_nothing() -> None:
    topic = RunsTopic()
    await topic.tenancy("a").claim(topic.latest())
    there = len(topic.log)
    second = topic.tenancy("b")

    with pytest.raises(LeaseTakenError, match="process 1 on a"):
        await second.claim(topic.latest())

    assert not second.holds()
    assert len(topic.log) == there


async def test_of_two_that_begin_at_the_same_moment_one_wins_and_the_next_finds_that() -> None:
    topic = RunsTopic(together=asyncio.Barrier(2))
    some = [topic.tenancy(nonce) for nonce in "ab"]

    async def claim(one: Tenancy) -> bool:
        try:
            await one.claim(None)
        except LeaseTakenError:
            return False
        return True

    won = await asyncio.wait_for(asyncio.gather(*(claim(one) for one in some)), 5)

    assert sorted(won) == [False, True]
    assert [one.holds() for one in some] == won
    with pytest.raises(LeaseTakenError, match=f"process 1 on {'ab'[won.index(True)]}"):
        await topic.tenancy("c").claim(None)


async def test_a_lease_is_renewed_until_it_cannot_be() -> None:
    topic = RunsTopic()
    one = topic.tenancy("a")
    await one.claim(None)
    keeping = asyncio.create_task(one.keep())
    while topic.seconds < 100:
        await asyncio.sleep(0)
        assert one.holds()

    topic.refuses = True
    with pytest.raises(LeaseLostError):
        await keeping

    assert not one.holds()
    assert topic.seconds <= 140


async def test_nothing_is_renewed_after_the_last_word() -> None:
    topic = RunsTopic()
    one = topic.tenancy("a")

    async with one.held(None) as leased:
        await until(lambda: topic.seconds >= 50, every=0)
        assert leased()
        await one.last()
        await topic.write(None)
        there = len(topic.log)
        for _ in range(20):
            await asyncio.sleep(0)

    assert len(topic.log) == there
    await topic.tenancy("b").claim(topic.latest())


async def test_who_has_lost_a_run_has_no_last_word() -> None:
    topic = RunsTopic()
    one = topic.tenancy("a")
    await one.claim(None)
    topic.seconds += 26

    with pytest.raises(LeaseLostError):
        await one.last()


async def test_a_process_that_was_frozen_gives_up_before_anyone_may_take_the_run() -> None:
    topic = RunsTopic()
    one = topic.tenancy("a")
    await one.claim(None)

    topic.seconds += 26

    assert not one.holds()
    with pytest.raises(LeaseTakenError):
        await topic.tenancy("b").claim(topic.latest())


async def test_a_frozen_process_writes_nothing_and_stays_out_though_its_clock_is_set_back() -> None:
    topic = RunsTopic()
    one = topic.tenancy("a")
    await one.claim(None)
    topic.seconds += 31
    second = topic.tenancy("b")
    await second.claim(topic.latest())
    there = len(topic.log)

    with pytest.raises(LeaseLostError):
        await one.keep()
    topic.seconds -= 41

    assert not one.holds()
    assert len(topic.log) == there


async def test_a_machine_whose_own_clock_stood_loses_its_lease_by_that_of_all() -> None:
    topic = RunsTopic()
    one = topic.tenancy("a")
    one.stopwatch = lambda: 0.0
    await one.claim(None)

    topic.seconds += 26

    assert not one.holds()


def test_each_life_of_this_process_has_a_nonce_of_its_own() -> None:
    one, other = this_process(), this_process()

    assert (one.pid, one.host) == (os.getpid(), other.host)
    assert one.nonce != other.nonce
