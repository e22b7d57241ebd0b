"""Noticing that this process stood still for so long that its group gave it up. Pure."""

from dataclasses import dataclass


@dataclass(slots=True)
class Pulse:
    """Beats twice a second while the event loop runs. Times in seconds of a monotonic clock.

    Whoever was frozen or busy for a whole session must not go on as if nothing had happened: its
    partitions have other owners, and the group tells it only with the next heartbeat.
    """

    session: float
    last: float

    def beat(self, now: float) -> None:
        """Note that the loop runs."""
        self.last = now

    def failed(self, now: float) -> bool:
        """Say whether it stood still for a session."""
        return now - self.last >= self.session
