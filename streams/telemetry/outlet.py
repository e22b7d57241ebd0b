"""A way out that nobody waits for: a bounded queue, and a thread of its own that empties it.

What does not fit is dropped, what nobody takes is lost, and both are counted: a collector that is
slow, refuses or is gone costs signals, and never rows.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Generic, Literal, TypeVar

import structlog

T = TypeVar("T")

Why = Literal["queue_full", "not_taken", "left_behind"]
"""Why a signal is lost: no room for it, nobody took it, or the process had to end."""

ROOM, BATCH = 2_048, 256
DELAY = timedelta(seconds=1)
"""How long a signal may wait for others to go with it."""

LONGEST_PAUSE = timedelta(seconds=30)
"""How long a receiver that takes nothing is left alone: what it costs to try is better spent."""

BUDGET = timedelta(seconds=3)
"""How long the farewell may take."""

log = structlog.get_logger()


@dataclass(slots=True)
class Outlet(Generic[T]):
    """Takes one kind of `signal`, on the event loop's thread; `send` is called on its own.

    `send` says whether a batch was taken; after one that was not, the next waits for `delay`, then
    twice as long. `lost` hears of each loss, on either thread. The log has one warning for the
    losses in a row, and one line when they are over.
    """

    signal: str
    send: Callable[[Sequence[T]], bool]
    lost: Callable[[Why, int], None]
    room: int = ROOM
    batch: int = BATCH
    delay: timedelta = DELAY
    _queue: deque[T] = field(default_factory=deque, init=False)
    _in_hand: int = field(default=0, init=False)
    _losing: int = field(default=0, init=False)
    _awake: threading.Event = field(default_factory=threading.Event, init=False)
    _books: threading.Lock = field(default_factory=threading.Lock, init=False)
    _closing: threading.Event = field(default_factory=threading.Event, init=False)
    _refused: int = field(default=0, init=False)
    _left: bool = field(default=False, init=False)
    _emptied: Callable[[], object] = field(default=lambda: None, init=False)

    def __post_init__(self) -> None:
        # Not one of asyncio's threads: each of those is waited for when the loop ends.
        threading.Thread(target=self._work, name=f"{self.signal}-outlet", daemon=True).start()

    def put(self, make: Callable[[], T]) -> None:
        """Enter a signal. Where there is no room it is not even made."""
        if self._closing.is_set():
            self._lose("left_behind", 1)
            return
        if len(self._queue) >= self.room:
            self._lose("queue_full", 1)
            return
        self._queue.append(make())
        if len(self._queue) >= self.batch:
            self._awake.set()

    async def close(self, budget: timedelta = BUDGET) -> None:
        """Send what is left, within the budget: what is not gone by then is lost."""
        loop, over = asyncio.get_running_loop(), asyncio.Event()

        def emptied() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(over.set)

        self._emptied = emptied
        self._closing.set()
        self._awake.set()
        try:
            async with asyncio.timeout(budget.total_seconds()):
                await over.wait()
        except TimeoutError:
            with self._books:
                self._left, behind = True, len(self._queue) + self._in_hand
            self._lose("left_behind", behind)

    def _work(self) -> None:
        while self._queue or not self._closing.is_set():
            if not self._closing.is_set():
                self._awake.wait(self.delay.total_seconds())
                self._awake.clear()
            while self._queue and not self._left:
                self._send()
                self._closing.wait(self._pause)
            if self._left:
                return
        self._emptied()

    @property
    def _pause(self) -> float:
        """How many seconds to let the receiver alone."""
        if not self._refused:
            return 0.0
        doubled: timedelta = self.delay * 2 ** min(self._refused - 1, 10)
        return min(doubled, LONGEST_PAUSE).total_seconds()

    def _send(self) -> None:
        signals = [self._queue.popleft() for _ in range(min(self.batch, len(self._queue)))]
        self._in_hand = len(signals)
        try:
            taken = self.send(signals)
        except Exception as error:  # whatever it is, the thread must not die of it
            log.warning("telemetry_failed", signal=self.signal, error=repr(error))
            taken = False
        with self._books:
            self._in_hand = 0
            if self._left:
                return  # already counted as left behind
        if taken:
            self._refused = 0
            self._recover()
        else:
            self._refused += 1
            self._lose("not_taken", len(signals))

    def _lose(self, why: Why, count: int) -> None:
        if not count:
            return
        self.lost(why, count)
        with self._books:
            self._losing, first = self._losing + count, self._losing == 0
        if first:
            log.warning("telemetry_lost", signal=self.signal, why=why, way_out="see docs/telemetry")

    def _recover(self) -> None:
        with self._books:
            lost, self._losing = self._losing, 0
        if lost:
            log.info("telemetry_taken_again", signal=self.signal, lost=lost)
