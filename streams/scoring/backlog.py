"""What part of the usual rows to judge while more come in than judges can keep up with. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from streams.ports import Progress

TOLERATED = 3.0
"""Minutes of rows that may lie unread: rows under way, and one that is slow, hold no more back."""

LEAST = 0.01
"""Below that it is reading which is too slow, and no probability helps: start another process."""

_AHEAD = 0.9
"""How much less than was kept up with is judged, so that a backlog shrinks again."""
_FALL, _RISE = 0.5, 1.1
"""By how much a minute may lower the part, and by how much it raises it again."""


@dataclass(slots=True)
class Backlog:
    """Lowers its `factor` in (0, 1] while the backlog grows, and raises it once that is gone."""

    factor: float = 1.0
    lag: float = field(default=0.0, init=False)
    """How many minutes of rows lay unread, as fast as they came."""
    _before: Mapping[int, Progress] = field(default_factory=dict, init=False)

    def turn(self, progress: Mapping[int, Progress], *, minutes: float, answered: int) -> float:
        """Return the part of the usual rows that is to be judged next.

        `minutes` have passed since the last turn, in which `answered` verdicts came. Without any,
        judges are down: rows wait, and that says nothing of how many they could take. Partitions
        that stand are left out: no probability helps them.
        """
        stayed = [
            (before, at)
            for number, at in progress.items()
            if (before := self._before.get(number)) is not None
            and before.epoch == at.epoch
            and not at.stands
        ]
        self._before = dict(progress)
        came = sum(at.end - before.end for before, at in stayed)
        done = sum(at.next - before.next for before, at in stayed)
        waiting = sum(at.end - at.next for _, at in stayed)
        self.lag = waiting * minutes / came if came > 0 else 0.0
        if self.lag <= TOLERATED:
            self.factor = min(1.0, self.factor * _RISE)
        elif answered and done * _AHEAD < came:
            self.factor = max(LEAST, self.factor * max(_FALL, _AHEAD * done / came))
        return self.factor
