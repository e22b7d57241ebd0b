"""Which of two commits of a partition is the later one, as far as one life can know. Pure.

A coordinator that has just moved answers from what all replicas are known to have. That may lack
commits which the one before it had taken, until the others have asked for more: an instant, or,
while a replica hangs, as long as it counts as in step. A life that believed such an answer would
take up anew what it holds already, and pay again for rows in flight.
"""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from streams.commits import Metadata, decode

BELIEVED_AFTER = timedelta(seconds=60)
"""How long an older commit must be told to be believed.

Twice what a hanging replica may last (Kafka's `replica.lag.time.max.ms` is 30 s by default).
"""
APART = timedelta(seconds=15)
"""Told so long after the last time, it is another doubt; a take-up is tried again within 5 s."""

_DIGITS = 20
Told = Literal["last", "behind", "lost"]
Place = tuple[str, int]
"""Topic id and partition."""


@dataclass(slots=True)
class _Known:
    """The latest commit of a partition, and how many each life had made of it by then."""

    latest: str = ""
    numbers: dict[str, int] = field(default_factory=dict)

    def note(self, text: str) -> None:
        self.latest = text
        if (stamp := _stamp(text)) is not None:
            life, number = stamp
            self.numbers[life] = max(number, self.numbers.get(life, number))

    def is_after(self, text: str | None) -> bool:
        if text is None:
            return True
        stamp = _stamp(text)
        return (
            text != self.latest and stamp is not None and stamp[1] <= self.numbers.get(stamp[0], -1)
        )


@dataclass(slots=True)
class CommitOrder:
    """Remembers the commits that were taken or believed. Seconds are of any steady clock."""

    _known: dict[Place, _Known] = field(default_factory=dict)
    _doubts: dict[Place, tuple[float, float]] = field(default_factory=dict)
    """When an older commit was told first, and last."""

    def partitions(self, topic_id: str) -> list[int]:
        """Return the partitions of which a commit is known."""
        return [number for of, number in self._known if of == topic_id]

    def note(self, place: Place, text: str | None) -> None:
        """Note the partition's last commit by its metadata: a broker took it, or it is believed.

        None: it is believed that there is none.
        """
        self._doubts.pop(place, None)
        if text is None:
            self._known.pop(place, None)
        else:
            self._known.setdefault(place, _Known()).note(text)

    def weigh(self, place: Place, text: str | None, *, now: float) -> Told:
        """Say what to think of a commit that is told as the last one (None: there is none).

        "behind": a later one is known. Where it is told for too long, the later one is "lost", and
        forgotten. Metadata of others says nothing of its order, and is believed.
        """
        known = self._known.get(place)
        if known is None or not known.is_after(text):
            self._doubts.pop(place, None)
            return "last"
        first, last = self._doubts.get(place, (now, now))
        if now - last > APART.total_seconds():
            first = now
        self._doubts[place] = first, now
        if now - first < BELIEVED_AFTER.total_seconds():
            return "behind"
        del self._doubts[place], self._known[place]
        return "lost"


def _stamp(text: str) -> tuple[str, int] | None:
    """Return the life that committed, and which of its commits this is."""
    words = decode(text)
    if not isinstance(words, Metadata):
        return None
    life, _, number = words.nonce.rpartition("-")
    return (life, int(number)) if number.isdecimal() and len(number) < _DIGITS else None
