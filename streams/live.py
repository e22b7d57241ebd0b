"""Running a half until it is told to stop: signals, deadlines, and the order of leaving."""

import asyncio
import faulthandler
import os
import signal
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

import structlog

from streams.memory import suited_to_streams
from streams.pipeline import run
from streams.ports import Clock, Half, Source, W

DRAIN = timedelta(seconds=40)
"""How long work in flight may go on after a stop was asked for."""

LEAVE = timedelta(seconds=15)
"""How long a process may take to be gone once all its work is done or given up."""

BY_FORCE = 70
"""The exit code of a process that did not leave in time."""

log = structlog.get_logger()
T = TypeVar("T")


class Stoppable(Protocol):
    """What can be told to end soon: a source, and what has one."""

    def stop(self) -> None:
        """End soon."""
        ...


async def run_until_stopped(  # noqa: PLR0913 - what `run` takes, and how it is left
    source: Source,
    half: Half[W],
    *,
    beats: AsyncIterator[datetime],
    clock: Clock,
    in_flight: int,
    drain: timedelta = DRAIN,
    leave: timedelta = LEAVE,
) -> bool:
    """Run a half until its source ends, or SIGTERM or SIGINT comes.

    Then nothing new is admitted and what is in flight may go on for `drain`; a second signal ends
    it at once. What did not finish is not done, and comes again. Returns whether all was finished.
    A process that is there `leave` after that is ended by force, whatever it waits for.
    """
    flow = run(source, half, beats=beats, clock=clock, in_flight=in_flight)
    return await until_stopped(source, flow, drain=drain, leave=leave)


async def until_stopped(
    source: Stoppable,
    flow: Coroutine[None, None, None],
    *,
    drain: timedelta = DRAIN,
    leave: timedelta = LEAVE,
) -> bool:
    """Run any flow of a source in that way: it ends by itself once the source is stopped."""
    task = asyncio.ensure_future(flow)
    with suited_to_streams(), _stopping(source, task, drain, leave):
        try:
            await task
        except asyncio.CancelledError:
            log.warning("stopped_with_work_in_flight")
            return False
    return True


@contextmanager
def _stopping(
    source: Stoppable, task: "asyncio.Task[None]", drain: timedelta, leave: timedelta
) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    asked = False

    def stop() -> None:
        nonlocal asked
        if asked:
            task.cancel()
            return
        asked = True
        log.info("stopping", drain_seconds=drain.total_seconds())
        source.stop()
        leave_within(drain + leave)
        loop.call_later(drain.total_seconds(), task.cancel)

    signals = (signal.SIGTERM, signal.SIGINT)
    for number in signals:
        loop.add_signal_handler(number, stop)
    log.info("running")
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


@contextmanager
def stop_asked(*, leave: timedelta = LEAVE) -> Iterator[asyncio.Event]:
    """Yield what is set when SIGTERM or SIGINT comes.

    `leave` after that, or after what is done meanwhile has failed, the process ends by force.
    """
    loop, asked = asyncio.get_running_loop(), asyncio.Event()

    def stop() -> None:
        if not asked.is_set():
            leave_within(leave)
        asked.set()

    signals = (signal.SIGTERM, signal.SIGINT)
    for number in signals:
        loop.add_signal_handler(number, stop)
    try:
        yield asked
    except Exception:
        leave_within(leave)
        raise
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


async def heeding(command: Coroutine[None, None, T]) -> T:
    """Run a command that SIGTERM cancels, until the command listens for signals itself.

    What it holds by then it gives back in order, and for `LEAVE` at most. Raises CancelledError.
    """
    task = asyncio.ensure_future(command)

    def stop() -> None:
        log.info("stopping", because="SIGTERM came before it ran")
        leave_within(LEAVE)
        task.cancel()

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
    return await task


def leave_within(limit: timedelta) -> None:
    """End this process if it is still there at the limit, and say on stderr what it waited for.

    A client of a broker that is gone may wait without end, in a thread that nothing can stop. What
    is not committed by then comes again.
    """
    timer = threading.Timer(limit.total_seconds(), _leave)
    timer.daemon = True
    timer.start()


def _leave() -> None:
    faulthandler.dump_traceback(all_threads=True)
    os._exit(BY_FORCE)


def worker_name() -> str:
    """Return what marks call this process: host and process id."""
    return f"{os.uname().nodename}.{os.getpid()}"
