"""For how long something has been owed: partitions by the group, or a commit by us. Pure."""

from dataclasses import dataclass


@dataclass(slots=True)
class Owed:
    """Knows since when. Times in seconds of a monotonic clock."""

    since: float | None = None

    def owe(self, now: float) -> None:
        """Note that it is owed: from now on, or from when it was first."""
        self.since = now if self.since is None else self.since

    def settle(self) -> None:
        """Note that nothing is owed."""
        self.since = None

    def seconds(self, now: float) -> float:
        """Return for how long it has been owed; 0 where it is not."""
        return 0.0 if self.since is None else now - self.since
