"""A watch half in a process of its own that can be killed, in which only the topics tell the time.

python -m tests.kafka.watch_worker SETTINGS
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

from streams.live import stop_asked
from streams.pace import now
from streams.settings.load import load
from streams.wiring.broker import Wiring
from streams.wiring.watching import WatchWiring


async def _no_beats() -> AsyncIterator[datetime]:
    await asyncio.Event().wait()
    yield now()


async def _main(settings: Path) -> None:
    async with WatchWiring(Wiring(load(settings))).watch_host() as (host, _):
        with stop_asked() as asked:
            await host.run(_no_beats(), asked)


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1])))
