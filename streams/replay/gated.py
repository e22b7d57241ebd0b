"""A panel whose seats let a row begin only when somebody else allows it too."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from streams.scoring.panel import Seat

Passage = Callable[[], Awaitable[None]]
"""Returns once a row may begin: what a seat waits for before it asks anybody."""


def gated(panel: Mapping[str, Seat], *gates: Passage) -> dict[str, Seat]:
    """Return the seats with these gates, in this order, before their own."""
    return {name: replace(seat, gate=_in_turn((*gates, seat.gate))) for name, seat in panel.items()}


def _in_turn(gates: tuple[Passage, ...]) -> Passage:
    async def passes() -> None:
        for gate in gates:
            await gate()

    return passes
