"""A process that cannot leave by itself: it is ended by force, and nobody waits for it."""

import subprocess
import sys

import pytest

from streams.live import BY_FORCE

STUCK = """
import asyncio, threading
from datetime import timedelta
from streams.live import stop_asked

async def fails():
    with stop_asked(leave=timedelta(seconds=0.2)):
        threading.Thread(target=threading.Event().wait).start()
        raise OSError("the group is silent")

asyncio.run(fails())
"""


@pytest.mark.service
def test_a_failure_ends_the_process_though_a_thread_of_a_client_never_ends() -> None:
    done = subprocess.run(  # noqa: S603 - our own python
        [sys.executable, "-c", STUCK], capture_output=True, text=True, check=False, timeout=60
    )

    assert done.returncode == BY_FORCE
    assert "the group is silent" in done.stderr
