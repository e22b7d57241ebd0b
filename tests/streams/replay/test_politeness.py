import asyncio
from datetime import timedelta

import pytest

from schemas.mark import PartitionProgress
from streams.replay.politeness import FEW, GONE, STEP, STEPS, Politeness
from tests.streams.watch.records import a_mark, a_tally, at

LOOK = 5
"""Seconds from one mark, and one decision, to the next."""


class Day:
    """Live traffic of so many rows a second, and a replay beside it."""

    def __init__(self, *, a_second: float = 10, fixed: float = 0.3) -> None:
        self.polite = Politeness(fixed)
        self.a_second = a_second
        self.second = 0
        self.end = 1000.0

    def go(self, *, lag: int, looks: int = 1, growing_by: int = 0) -> float:
        for n in range(looks):
            self.pass_time()
            self.end += LOOK * self.a_second
            behind = min(int(self.end), lag + n * growing_by)
            at_end = PartitionProgress(next=int(self.end) - behind, end=int(self.end), epoch=1)
            self.polite.hear(a_mark(self.second, {0: at_end}), at(self.second))
            self.polite.turn(at(self.second))
        return self.polite.factor

    def go_silent(self, seconds: float) -> float:
        for _ in range(int(seconds // LOOK)):
            self.pass_time()
            self.polite.turn(at(self.second))
        return self.polite.factor

    def pass_time(self) -> None:
        self.second += LOOK


def test_beside_live_traffic_that_keeps_up_the_whole_share_is_taken() -> None:
    day = Day(fixed=0.3)

    assert day.go(lag=60, looks=100) == 1.0
    assert day.polite.share() == 0.3
    assert day.polite.because is None


def test_nothing_is_taken_while_live_rows_wait_for_more_than_a_minute() -> None:
    day = Day(a_second=10)
    day.go(lag=60, looks=10)

    assert day.go(lag=601) == 0.0
    assert day.polite.because == "live_lags"
    assert day.go(lag=601, looks=200) == 0.0


def test_the_share_comes_back_step_by_step_once_live_traffic_is_well() -> None:
    day = Day()
    day.go(lag=60, looks=10)
    day.go(lag=2000)

    back = [day.go(lag=60, looks=STEP // timedelta(seconds=LOOK)) for _ in range(STEPS + 1)]

    assert back == [0.25, 0.5, 0.75, 1.0, 1.0]
    assert day.polite.because is None


def test_it_does_not_come_back_while_half_a_minute_of_rows_still_waits() -> None:
    day = Day(a_second=10)
    day.go(lag=60, looks=10)
    day.go(lag=601)

    assert day.go(lag=400, looks=100) == 0.0
    assert day.go(lag=290, looks=100) == 1.0
    assert day.go(lag=400, looks=100) == 1.0


def test_a_lag_that_grows_at_each_of_three_looks_is_heeded_before_it_is_long() -> None:
    day = Day(a_second=10)
    day.go(lag=160, looks=10)

    grown = [day.go(lag=lag) for lag in (170, 180, 190)]

    assert grown == [1.0, 1.0, 0.0]


def test_a_short_lag_may_grow() -> None:
    day = Day(a_second=10)

    assert day.go(lag=20, looks=12, growing_by=10) == 1.0


def test_a_few_rows_of_slow_traffic_are_no_lag() -> None:
    day = Day(a_second=0.01)

    assert day.go(lag=FEW, looks=50) == 1.0
    assert day.go(lag=FEW + 1) == 0.0


def test_a_new_look_at_the_same_marks_is_no_growth() -> None:
    day = Day()
    day.go(lag=160, looks=10)
    day.go(lag=170)

    assert day.go_silent(60) == 1.0


def test_nothing_is_taken_while_live_rows_are_shed_and_for_two_minutes_after() -> None:
    day = Day()
    day.go(lag=0, looks=3)
    day.polite.hear(a_tally(0, rows=(0, 9), shed=1), at(day.second))

    assert day.go(lag=0) == 0.0
    assert day.polite.because == "live_is_shed"
    assert day.go(lag=0, looks=int(GONE.total_seconds()) // LOOK) == 0.0
    assert day.go(lag=0, looks=int((STEPS * STEP).total_seconds()) // LOOK) == 1.0


def test_a_tally_that_shed_nothing_takes_nothing_away() -> None:
    day = Day()
    day.go(lag=0, looks=3)
    day.polite.hear(a_tally(0, rows=(0, 9)), at(day.second))

    assert day.go(lag=0) == 1.0


def test_of_live_traffic_that_is_gone_nothing_is_heeded() -> None:
    day = Day()
    day.go(lag=60, looks=10)
    assert day.go(lag=10_000) == 0.0

    assert day.go_silent((GONE + STEPS * STEP).total_seconds() + LOOK) == 1.0


def test_one_worker_that_is_gone_holds_nothing_back_while_others_go_on() -> None:
    polite = Politeness(0.3)
    for look in range(100):
        second, end = look * LOOK, 1000 + look * 50
        if look < 10:
            lost = {1: PartitionProgress(next=0, end=end, epoch=1)}
            polite.hear(a_mark(second, lost, worker="lost"), at(second))
        well = {0: PartitionProgress(next=end, end=end, epoch=1)}
        polite.hear(a_mark(second, well), at(second))
        polite.turn(at(second))
        if look == 9:
            assert polite.factor == 0.0

    assert polite.factor == 1.0


def test_what_a_worker_says_of_a_partition_it_lost_is_not_heeded() -> None:
    day = Day()
    day.go(lag=0, looks=10)
    old = PartitionProgress(next=0, end=int(day.end), epoch=0)
    day.polite.hear(a_mark(day.second + 1, {0: old}, worker="w0"), at(day.second + 1))

    day.polite.turn(at(day.second + 1))

    assert day.polite.factor == 1.0


def test_what_replays_say_of_themselves_is_not_heeded() -> None:
    polite = Politeness(0.3)
    for second in range(0, 300, LOOK):
        behind = PartitionProgress(next=0, end=10_000 + second, epoch=1)
        polite.hear(a_mark(second, {0: behind}, run="r1"), at(second))
        polite.hear(a_tally(second, rows=(0, 9), shed=9, run="r1"), at(second))
        polite.turn(at(second))
        assert polite.factor == 1.0


async def test_a_row_waits_at_the_gate_until_the_first_step() -> None:
    day = Day()
    day.go(lag=60, looks=10)
    day.go(lag=10_000)

    waiting = asyncio.create_task(day.polite.gate())
    await asyncio.sleep(0)
    waited = not waiting.done()
    day.go(lag=0, looks=STEP // timedelta(seconds=LOOK))
    await asyncio.wait_for(waiting, 10)

    assert waited


@pytest.mark.parametrize("fixed", [0.01, 0.3, 1.0])
def test_what_was_let_through_can_always_end(fixed: float) -> None:
    day = Day(fixed=fixed)
    day.go(lag=60, looks=10)
    day.go(lag=10_000)

    assert day.polite.share() == fixed / STEPS
