"""A panel whose seats let a row begin only when somebody else allows it too."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from streams.scoring.panel import Seat

Gate = Callable[[], Awaitable[None]]


def gated(panel: Mapping[str, Seat], *gates: Gate) -> dict[str, Seat]:
    """Return the seats with these gates, in this order, before their own."""
    return {name: replace(seat, gate=_in_turn((*gates, seat.gate))) for name, seat in panel.items()}


def _in_turn(gates: tuple[Gate, ...]) -> Gate:
    async def passes() -> None:
        for gate in gates:
            await gate()

    return passes
