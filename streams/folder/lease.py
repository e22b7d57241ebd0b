"""On a folder log a run is its group's: the system's lock says who has it, and needs no renewal."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from streams.folder.lock import LockedError
from streams.replay.lease import LeaseTakenError


@contextmanager
def lock_as_lease(run: str) -> Iterator[None]:
    """Hold what enters a run's group. Raises LeaseTakenError while another process has that."""
    try:
        yield
    except LockedError as error:
        host = os.uname().nodename
        raise LeaseTakenError(f"run {run} is worked on, on {host}: {error}") from error
