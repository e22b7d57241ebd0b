"""What each part of a process can say of itself, and what the log's edges may."""

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from streams.telemetry.sample import Sample


class Part(Protocol):
    """A part of a process. None of its methods waits; a sentence says what is wrong, for people."""

    def samples(self) -> Iterable[Sample]:
        """Yield what its gauges show now. Whoever iterates may let others run in between."""
        ...

    def dead(self) -> Iterable[str]:
        """Yield why the process is of no more use, and should be started anew."""
        ...

    def unready(self) -> Iterable[str]:
        """Yield why it does not work now, though it may again."""
        ...


@runtime_checkable
class Remote(Protocol):
    """An edge that lies over a network."""

    @property
    def trouble(self) -> str | None:
        """Why nothing can be read or written there now; None while it can."""
        ...

    @property
    def away(self) -> bool:
        """Whether nobody answers there: then a new start helps nobody, and costs what is held."""
        ...


@runtime_checkable
class Member(Protocol):
    """An edge that takes part in a group."""

    @property
    def lost(self) -> str | None:
        """Why only a new start brings it back; None while there is hope."""
        ...
