"""When a partition has so many unreadable rows that it is better to stop than to set them aside.

A producer that changed its format would fill the dead letters with everything it writes. Pure.
"""

from dataclasses import dataclass, field

_MEMORY = 2000


@dataclass(frozen=True, slots=True)
class FloodLimits:
    """How many unreadable rows are borne: in a run without a gap, and as a share of the last rows.

    The share counts from `share_after` rows on; `share` in (0, 1].
    """

    run: int = 100
    share: float = 0.2
    share_after: int = 50


@dataclass(slots=True)
class Flood:
    """One partition's rejections. Its memory is some thousand rows long."""

    limits: FloodLimits = field(default_factory=FloodLimits)
    _read: float = 0
    _rejected: float = 0
    _run: int = 0
    _last: int = -2

    def read(self, rows: int) -> None:
        """Count rows handed out, before their rejections are counted."""
        self._read += rows
        if self._read > _MEMORY:
            self._read, self._rejected = self._read / 2, self._rejected / 2

    def rejects(self, offset: int) -> bool:
        """Count one rejected row, and say whether the limits are passed."""
        self._rejected += 1
        self._run = self._run + 1 if offset == self._last + 1 else 1
        self._last = offset
        limits = self.limits
        share = self._read >= limits.share_after and self._rejected > limits.share * self._read
        return share or self._run >= limits.run


@dataclass(slots=True)
class Floods:
    """The rejections of all partitions that are held."""

    _floods: dict[int, Flood] = field(default_factory=dict)

    def of(self, partition: int) -> Flood:
        """Return a partition's rejections: of one that is new, none."""
        return self._floods.setdefault(partition, Flood())

    def forget(self) -> None:
        """Begin anew."""
        self._floods.clear()
