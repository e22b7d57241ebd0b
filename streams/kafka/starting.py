"""Asking of a cluster what it may not answer yet: it is starting, too, or loses a node just now."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, TypeVar

from aiokafka.errors import KafkaError
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_delay, wait_exponential

C = TypeVar("C", bound=Any)
T = TypeVar("T")

PATIENCE = timedelta(seconds=60)


async def patiently(work: Callable[[], Awaitable[T]], patience: timedelta = PATIENCE) -> T:
    """Return what the work returns, tried again and again while brokers fail it.

    Raises its KafkaError or OSError (a TimeoutError is one) when patience ends.
    """
    async for attempt in AsyncRetrying(
        retry=retry_if_exception_type((KafkaError, OSError)),
        wait=wait_exponential(0.1, max=5),
        stop=stop_after_delay(patience.total_seconds()),
        reraise=True,
    ):
        with attempt:
            result = await work()
    return result


async def started(make: Callable[[], C], patience: timedelta = PATIENCE) -> C:
    """Return a client that is connected. Raises KafkaError when patience ends without a broker."""

    async def start() -> C:
        client = make()
        try:
            await client.start()
        except BaseException:
            await (client.close() if hasattr(client, "close") else client.stop())
            raise
        return client

    return await patiently(start, patience)
