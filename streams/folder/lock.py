"""A lock file with the process id of its holder, which the system lets go when the holder dies."""

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path


class LockedError(RuntimeError):
    """Another live process has the lock: stop it, or use another folder or group."""


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock that is held, until `release`."""

    path: Path
    _file: int

    def release(self) -> None:
        """Let another process have it. The file stays, for removing it would let two in."""
        os.close(self._file)


def acquire(path: Path, *, what: str) -> Lock:
    """Return the lock, at once. Raises LockedError, which says who holds `what`.

    The system's own lock decides, not the process id in the file: ids come again, and containers
    that share a folder do not share them.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(file, 32).decode(errors="replace").strip() or "unknown"
        os.close(file)
        raise LockedError(
            f"{what} is in use by process {holder} ({path}): stop that process first"
        ) from None
    os.ftruncate(file, 0)
    os.write(file, f"{os.getpid()}\n".encode())
    return Lock(path, file)
