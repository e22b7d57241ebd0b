"""How long panes of each length live, and what becomes of them then."""

from typing import NamedTuple

from streams.watch.panes.pane import DAY, HOUR, MINUTE


class RetentionStage(NamedTuple):
    """Panes of `length` live until they are `age` old, then become panes of `into` (or end)."""

    length: int
    into: int | None
    age: int

    @property
    def span(self) -> int:
        """The length of what falls due together."""
        return self.into or self.length


STAGES = (
    RetentionStage(MINUTE, 10 * MINUTE, 6 * HOUR),
    RetentionStage(10 * MINUTE, HOUR, 2 * DAY),
    RetentionStage(HOUR, None, 28 * DAY),
)
