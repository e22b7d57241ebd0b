"""Tells a watch messages with offsets of their own, and hears what it says."""

from collections.abc import Sequence

from schemas.alert import Alert
from schemas.mark import Mark, Tick
from schemas.pane import Pane
from schemas.score import ScoreEvent
from schemas.tally import Tally
from streams.watch.fold import Watch
from streams.watch.options import Options


class Teller:
    """Tells a watch of records, counting the offsets of the scores topic."""

    def __init__(self, options: Options | None = None) -> None:
        self.watch = Watch(options or Options())
        self.offset = 0

    def tell(self, *messages: ScoreEvent | Tally | Mark | Tick) -> list[Pane | Alert]:
        said: list[Pane | Alert] = []
        for message in messages:
            if isinstance(message, Mark | Tick):
                said += self.watch.fold(message)
            else:
                said += self.watch.fold(message, offset=self.offset)
                self.offset += 1
        return said

    def panes(self, *, segment: bool = False) -> list[tuple[int, dict[str, int]]]:
        """Return start and outcomes of the score panes."""
        found = sorted(self.watch.tables.scores.items())
        return [
            (key.length // 60_000, pane.outcomes)
            for key, pane in found
            if bool(key.family.segment) is segment
        ]


def panes(said: Sequence[Pane | Alert]) -> list[Pane]:
    return [message for message in said if isinstance(message, Pane)]
