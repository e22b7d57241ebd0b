"""Attribute values that come with the rows, bounded: a metric's series must not grow with them."""

from dataclasses import dataclass, field

OTHER = "__other__"

MOST_ASSISTANTS = 100
"""Assistants that have series of their own in a process; those that come later share one."""


@dataclass(slots=True)
class Capped:
    """Lets the first `most` values through as they are. What comes later is `__other__`."""

    most: int
    _named: set[str] = field(default_factory=set)
    _beyond: set[str] = field(default_factory=set)

    def __call__(self, value: str) -> str:
        """Return the value, or what it goes by."""
        if value in self._named:
            return value
        if len(self._named) < self.most:
            self._named.add(value)
            return value
        if len(self._beyond) < self.most:  # a count up to a bound: the set may not grow either
            self._beyond.add(value)
        return OTHER

    @property
    def beyond(self) -> int:
        """How many values were not let through, counted up to `most`."""
        return len(self._beyond)
