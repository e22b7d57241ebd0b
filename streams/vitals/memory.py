"""How much memory this process has and may have, as Linux tells. Elsewhere nothing is known."""

import os
from dataclasses import dataclass, field
from pathlib import Path

TIGHT, FULL = 0.80, 0.95
"""Shares of the limit at which work slows down, and at which the process ends by itself."""

_UNLIMITED = 1 << 60
"""What a cgroup of version 1 says where there is no limit is about the greatest number it has."""


_GROUPS, _ROOT = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")


class MemoryFullError(OSError):
    """The process is about to be killed for its memory: it ends while it still can say so."""


def limits_of(groups: str, root: Path = _ROOT) -> tuple[Path, ...]:
    """Return the files that may limit a process: its cgroup's, and those of all cgroups above.

    `groups` is what /proc/self/cgroup says. In a container the names in it may be the host's; then
    only the files at the top are there, and they are the container's own.
    """
    found = []
    for line in groups.splitlines():
        number, controllers, path = (*line.split(":", 2), "", "")[:3]
        if "memory" in controllers.split(","):
            top, name = root / "memory", "memory.limit_in_bytes"
        elif number == "0":
            top, name = root, "memory.max"
        else:
            continue
        own = top / path.strip("/")
        found += [at / name for at in (own, *own.parents) if at.is_relative_to(top)]
    return tuple(found)


def _ours() -> tuple[Path, ...]:
    try:
        return limits_of(_GROUPS.read_text())
    except OSError:
        return ()


@dataclass(frozen=True, slots=True)
class Memory:
    """Reads its own memory, and the least of the limits that its cgroups set (version 1 or 2)."""

    status: Path = Path("/proc/self/statm")
    limits: tuple[Path, ...] = field(default_factory=_ours)

    def used(self) -> int | None:
        """Return the resident bytes, None where they are not known."""
        try:
            pages = int(self.status.read_text().split()[1])
        except (OSError, ValueError, IndexError):
            return None
        return pages * os.sysconf("SC_PAGE_SIZE")

    def limit(self) -> int | None:
        """Return the bytes that the cgroup may have, None without a limit."""
        return min(filter(None, map(_limit, self.limits)), default=None)

    def share(self) -> float | None:
        """Return used / limit, None where either is not known."""
        used, limit = self.used(), self.limit()
        return used / limit if used is not None and limit else None


def _limit(file: Path) -> int | None:
    try:
        found = int(file.read_text())
    except (OSError, ValueError):  # not there, or `max`
        return None
    return found if found < _UNLIMITED else None
