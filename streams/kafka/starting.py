"""Starting a client while the cluster may still be starting, too."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar

from aiokafka.errors import KafkaError
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_delay, wait_exponential

C = TypeVar("C", bound=Any)

PATIENCE = timedelta(seconds=60)


async def started(make: Callable[[], C], patience: timedelta = PATIENCE) -> C:
    """Return a client that is connected. Raises KafkaError when patience ends without a broker."""
    async for attempt in AsyncRetrying(
        retry=retry_if_exception_type((KafkaError, OSError)),
        wait=wait_exponential(0.1, max=5),
        stop=stop_after_delay(patience.total_seconds()),
        reraise=True,
    ):
        with attempt:
            client = make()
            try:
                await client.start()
            except BaseException:
                await (client.close() if hasattr(client, "close") else client.stop())
                raise
    return client
