"""Verdicts that were bought before: a replay publishes them again, and does not buy them anew."""

from typing import Protocol

from schemas.score import ScoreEvent


class Earlier(Protocol):
    """What is known of verdicts by the ids that their events have."""

    def verdict(self, event_id: str) -> ScoreEvent | None:
        """Return the event of that id, of live traffic or of another run; None: buy it."""
        ...


class Unknown:
    """Knows of no verdict: whoever judges live traffic buys each for the first time."""

    def verdict(self, event_id: str) -> ScoreEvent | None:
        """Return None."""
