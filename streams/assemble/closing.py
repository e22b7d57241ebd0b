"""When a trace takes no more spans, and what it is then."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from streams.assemble.places import RecordRef
from streams.assemble.span import Span

Why = Literal["quiet", "waited", "crowded", "too_large", "held_back", "ended"]
"""Why a trace was closed: its root came and no span after it; it had waited long enough; there was
no room for more traces; none for more of its own spans; it held a partition back; the log ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosingLimits:
    """When traces are closed. Times in milliseconds, sizes in bytes of memory, roughly.

    `hold`: over how many offsets of a partition one trace may hold it back.
    """

    quiet_after_root: int = 5_000
    max_wait: int = 30_000
    max_traces: int = 50_000
    max_spans: int = 2_000
    max_trace_bytes: int = 4 << 20
    max_bytes: int = 256 << 20
    hold: int = 6_144


class Closed(NamedTuple):
    """A trace that takes no more spans. `spans` in the order of their starts, each once.

    `first` is the lowest of the places of its records. `why` it was closed.
    """

    trace_id: str
    spans: tuple[Span, ...]
    first: RecordRef
    why: Why
    rooted: bool

    @property
    def cut_short(self) -> bool:
        """Whether it was not waited for, for want of room."""
        return self.why in ("crowded", "too_large", "held_back")
