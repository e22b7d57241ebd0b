"""Things that fall due: found by when, earliest first, without looking at the rest."""

from bisect import bisect_right, insort
from typing import Generic, TypeVar

K = TypeVar("K")


class Calendar(Generic[K]):
    """Members of instants. The order in which they were added does not matter."""

    def __init__(self) -> None:
        self._instants: list[int] = []
        self._members: dict[int, set[K]] = {}

    def add(self, at: int, member: K) -> None:
        """Note a member at an instant."""
        if at not in self._members:
            self._members[at] = set()
            insort(self._instants, at)
        self._members[at].add(member)

    def discard(self, at: int, member: K) -> None:
        """Take a member out, if it is there."""
        members = self._members.get(at, set())
        members.discard(member)
        if not members and self._members.pop(at, None) is not None:
            self._instants.remove(at)

    def until(self, at: int | None) -> list[tuple[int, set[K]]]:
        """Return instants up to and with one (None: all), each with its members."""
        end = len(self._instants) if at is None else bisect_right(self._instants, at)
        return [(instant, set(self._members[instant])) for instant in self._instants[:end]]
