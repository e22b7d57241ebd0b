"""How much memory this process has and may have, as Linux tells. Elsewhere nothing is known."""

import os
from dataclasses import dataclass
from pathlib import Path

TIGHT, FULL = 0.80, 0.95
"""Shares of the limit at which work slows down, and at which the process ends by itself."""

_UNLIMITED = 1 << 60
"""What a cgroup of version 1 says where there is no limit is about the greatest number it has."""


class MemoryFullError(OSError):
    """The process is about to be killed for its memory: it ends while it still can say so."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Reads its own memory, and the limit of its cgroup (version 2, else 1)."""

    status: Path = Path("/proc/self/statm")
    limits: tuple[Path, ...] = (
        Path("/sys/fs/cgroup/memory.max"),
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
    )

    def used(self) -> int | None:
        """Return the resident bytes, None where they are not known."""
        try:
            pages = int(self.status.read_text().split()[1])
        except (OSError, ValueError, IndexError):
            return None
        return pages * os.sysconf("SC_PAGE_SIZE")

    def limit(self) -> int | None:
        """Return the bytes that the cgroup may have, None without a limit."""
        for file in self.limits:
            try:
                found = int(file.read_text())
            except (OSError, ValueError):  # not there, or `max`
                continue
            if found < _UNLIMITED:
                return found
        return None

    def share(self) -> float | None:
        """Return used / limit, None where either is not known."""
        used, limit = self.used(), self.limit()
        return used / limit if used is not None and limit else None
