"""A way out that is bounded, counts what it loses, and is left in time."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import pairwise

import pytest
from structlog.testing import capture_logs

from streams.pace import until
from streams.telemetry.outlet import Outlet, Why

SOON = timedelta(milliseconds=10)


@dataclass
class Receiver:
    """Takes what it is sent, unless it refuses; while `gate` is shut it hangs."""

    takes: bool = True
    gate: threading.Event = field(default_factory=threading.Event)
    sent: list[int] = field(default_factory=list)
    threads: set[str] = field(default_factory=set)
    lost: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.gate.set()

    def __call__(self, signals: Sequence[int]) -> bool:
        self.threads.add(threading.current_thread().name)
        self.gate.wait()
        self.sent += signals
        return self.takes

    def lose(self, why: Why, count: int) -> None:
        self.lost[why] += count


def has_lost(to: Receiver, count: int) -> bool:
    return to.lost["not_taken"] == count


def an_outlet(to: Receiver, *, room: int = 8, batch: int = 4) -> Outlet[int]:
    return Outlet("span", to, to.lose, room=room, batch=batch, delay=SOON)


async def test_what_is_put_in_is_sent_in_order_on_another_thread() -> None:
    to = Receiver()
    outlet = an_outlet(to)

    for number in range(6):
        outlet.put(partial(int, number))
    await outlet.close()

    assert to.sent == list(range(6))
    assert to.threads == {"span-outlet"}
    assert not to.lost


async def test_what_is_alone_is_sent_too_after_a_while() -> None:
    to = Receiver()
    outlet = an_outlet(to)

    outlet.put(lambda: 1)

    await until(lambda: to.sent == [1])
    await outlet.close()


async def test_what_does_not_fit_is_counted_and_not_even_made() -> None:
    to, made = Receiver(), []

    def make(number: int) -> int:
        made.append(number)
        return number

    to.gate.clear()
    outlet = an_outlet(to, room=8, batch=4)
    outlet.put(lambda: 0)
    await until(lambda: bool(to.threads))  # the first is in hand, and hangs

    for number in range(20):
        outlet.put(partial(make, number))
    to.gate.set()
    await outlet.close()

    assert len(made) == 8
    assert to.lost == {"queue_full": 12}
    assert len(to.sent) == 9


async def test_what_is_refused_is_counted_and_the_next_is_tried() -> None:
    to = Receiver(takes=False)
    outlet = an_outlet(to)

    outlet.put(lambda: 1)
    await until(lambda: to.lost["not_taken"] == 1)
    to.takes = True
    outlet.put(lambda: 2)
    await outlet.close()

    assert to.sent == [1, 2]
    assert to.lost == {"not_taken": 1}


async def test_a_receiver_that_takes_nothing_is_left_alone_for_ever_longer() -> None:
    to, tries = Receiver(takes=False), list[float]()

    def send(signals: Sequence[int]) -> bool:
        tries.append(time.monotonic())
        return to(signals)

    outlet = Outlet("span", send, to.lose, room=8, batch=1, delay=SOON)
    for number in range(4):
        outlet.put(partial(int, number))
    await until(lambda: len(tries) == 4)
    await outlet.close()

    gaps = [later - sooner for sooner, later in pairwise(tries)]
    assert all(gap >= SOON.total_seconds() * 2**n for n, gap in enumerate(gaps))


async def test_a_fault_in_sending_is_a_loss_and_ends_nothing() -> None:
    to = Receiver()

    def spoilt(signals: Sequence[int]) -> bool:
        if 1 in signals:
            raise ValueError("no such thing")
        return to(signals)

    outlet = Outlet("span", spoilt, to.lose, delay=SOON)
    outlet.put(lambda: 1)
    await until(lambda: to.lost["not_taken"] == 1)
    outlet.put(lambda: 2)
    await outlet.close()

    assert to.sent == [2]


@pytest.mark.parametrize("waiting", [0, 5])
async def test_the_farewell_keeps_its_budget_and_counts_what_it_leaves(waiting: int) -> None:
    to = Receiver()
    to.gate.clear()
    outlet, loop = an_outlet(to), asyncio.get_running_loop()
    outlet.put(lambda: 0)
    await until(lambda: bool(to.threads))
    for number in range(waiting):
        outlet.put(partial(int, number))
    began = loop.time()

    await outlet.close(timedelta(seconds=0.1))

    assert loop.time() - began < 1
    assert to.lost == {"left_behind": 1 + waiting}
    to.gate.set()


async def test_what_comes_after_the_farewell_is_counted() -> None:
    to = Receiver()
    outlet = an_outlet(to)
    await outlet.close()

    outlet.put(lambda: 1)

    assert to.lost == {"left_behind": 1}


async def test_losses_in_a_row_are_one_warning_and_their_end_one_line() -> None:
    to = Receiver(takes=False)
    outlet = an_outlet(to)

    with capture_logs() as said:
        for number in range(1, 4):
            outlet.put(partial(int, number))
            await until(partial(has_lost, to, number))
        to.takes = True
        outlet.put(lambda: 4)
        await outlet.close()

    assert [(line["event"], line.get("lost")) for line in said] == [
        ("telemetry_lost", None),
        ("telemetry_taken_again", 3),
    ]
