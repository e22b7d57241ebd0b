"""For how long we may act as a member of our group without a word from it. Pure."""

from dataclasses import dataclass


@dataclass(slots=True)
class Lease:
    """Runs out a session after the last heartbeat that the group answered was sent.

    The group's own clock started later than that, so while the lease runs nobody else has our
    partitions; once it has run out somebody may, and judge their rows. Seconds of a monotonic
    clock; `since` is a moment before we joined.
    """

    session: float
    since: float

    def renew(self, sent: float) -> None:
        """Note that the group answered a heartbeat, and when that was sent."""
        self.since = max(sent, self.since)

    def runs(self, now: float) -> bool:
        """Say whether the group cannot have given us up yet."""
        return now - self.since < self.session
