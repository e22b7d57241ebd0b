"""Spans that wait for the rest of their trace, and when they wait no longer. Pure.

    first span -> open -> root, then quiet    -> closed -> rows written -> its records are done
                    |---- too long since the first span --^
                    |---- no room: oldest first ----------^
                    +---- partition lost: dropped, for its next owner reads it again

Time is handed in, in milliseconds, and never runs backwards here. Nothing is held for ever: each
bound closes traces until it holds.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from streams.assemble.closing import Closed, ClosingLimits, Why
from streams.assemble.decided import Decided
from streams.assemble.places import Places, RecordRef
from streams.assemble.span import Span, Value
from streams.assemble.weighing import weight, weight_of_resource

REMEMBERED = 10
"""So many times as many decided traces are remembered as may be open."""


@dataclass(slots=True)
class _Open:
    since: int
    last: int = 0
    rooted: bool = False
    bytes: int = 0
    resource: Mapping[str, Value] | None = None
    spans: dict[str, Span] = field(default_factory=dict)
    places: set[RecordRef] = field(default_factory=set)


@dataclass(slots=True)
class OpenTraces:
    """Takes spans as they come, and says which traces are to be written.

    `counts`: spans by what became of them (`taken`, `duplicate`, `late`, `dropped`); `closed`:
    traces, by why.
    """

    limits: ClosingLimits = field(default_factory=ClosingLimits)
    counts: Counter[str] = field(default_factory=Counter)
    closed: Counter[str] = field(default_factory=Counter)
    bytes: int = 0
    _now: int = 0
    _open: dict[str, _Open] = field(default_factory=dict)
    """In the order in which their first spans were taken."""
    _looks: list[tuple[int, str]] = field(default_factory=list)
    """A heap: when to look at which trace. What came of it since is found out then."""
    _unwritten: dict[str, _Open] = field(default_factory=dict)
    _places: Places = field(default_factory=Places)
    _decided: Decided = field(init=False)

    def __post_init__(self) -> None:
        self._decided = Decided(REMEMBERED * self.limits.max_traces)

    def __len__(self) -> int:
        return len(self._open)

    def decide(self, trace_ids: Iterable[str]) -> None:
        """Take no more spans of these: an earlier life has done with them."""
        for trace_id in trace_ids:
            self._decided.add(trace_id)

    def add(
        self, spans: Sequence[Span], place: RecordRef, *, now: int, at: int | None = None
    ) -> list[Closed]:
        """Take the spans of one record. Returns what is due by then, and what it has no room for.

        The record's place is held from now on if any of its spans is waited with (`holds`). `at`:
        when it came, where its partition is ahead of the time of all.
        """
        closed = self.due(now)
        came = max(self._now, at or 0)
        for span in spans:
            trace_id = span.trace_id
            found = self._open.get(trace_id)
            if found is None:
                if trace_id in self._decided:
                    self.counts["late"] += 1
                    continue
                found = self._open[trace_id] = _Open(came)
                heappush(self._looks, (came + self.limits.max_wait, trace_id))
            if place not in found.places:
                found.places.add(place)
                self._places.hold(place, trace_id)
            self._put(found, span, came)
            if self._too_large(found):
                closed.append(self._close(trace_id, "too_large"))
        closed += self._make_room(place)
        return closed

    def _put(self, found: _Open, span: Span, came: int) -> None:
        found.last = max(came, found.last)
        known = found.spans.get(span.span_id)
        self.counts["taken" if known is None else "duplicate"] += 1
        if known is None or known.end_ns < span.end_ns:  # whichever came first: the longer one
            more = weight(span) - (weight(known) if known else 0)
            if span.resource is not found.resource:  # each record has one of its own
                found.resource = span.resource
                more += weight_of_resource(span)
            found.spans[span.span_id] = span
            found.bytes += more
            self.bytes += more
        if span.parent_id is None and not found.rooted:
            found.rooted = True
            heappush(self._looks, (self._due(found), span.trace_id))

    def _due(self, found: _Open) -> int:
        """Return when a trace is closed if no more comes of it."""
        latest = found.since + self.limits.max_wait
        return min(latest, found.last + self.limits.quiet_after_root) if found.rooted else latest

    def _too_large(self, found: _Open) -> bool:
        limits = self.limits
        return len(found.spans) > limits.max_spans or found.bytes > limits.max_trace_bytes

    def _make_room(self, place: RecordRef) -> list[Closed]:
        limits, closed = self.limits, list[Closed]()
        while self._open and (len(self._open) > limits.max_traces or self.bytes > limits.max_bytes):
            closed.append(self._close(next(iter(self._open)), "crowded"))
        held_back = self._places.below(place.partition, place.offset - limits.hold)
        closed += [self._close(one, "held_back") for one in held_back if one in self._open]
        return closed

    def due(self, now: int) -> list[Closed]:
        """Close and return the traces that have waited long enough."""
        self._now = max(now, self._now)
        closed: list[Closed] = []
        while self._looks and self._looks[0][0] <= self._now:
            _, trace_id = heappop(self._looks)
            found = self._open.get(trace_id)
            if found is None:
                continue
            if (due := self._due(found)) > self._now:
                heappush(self._looks, (due, trace_id))
                continue
            quiet = found.rooted and self._now - found.last >= self.limits.quiet_after_root
            closed.append(self._close(trace_id, "quiet" if quiet else "waited"))
        return closed

    def end(self) -> list[Closed]:
        """Close and return all: nothing more will come."""
        return [self._close(trace_id, "ended") for trace_id in list(self._open)]

    def _close(self, trace_id: str, why: Why) -> Closed:
        found = self._take_out(trace_id)
        self._decided.add(trace_id)
        self._unwritten[trace_id] = found
        self.closed[why] += 1
        spans = sorted(found.spans.values(), key=lambda span: (span.start_ns, span.span_id))
        return Closed(trace_id, tuple(spans), min(found.places), why, found.rooted)

    def _take_out(self, trace_id: str) -> _Open:
        found = self._open.pop(trace_id)
        self.bytes -= found.bytes
        return found

    def unwritten(self, trace_id: str) -> bool:
        """Say whether a closed trace is still to be written: not so once it was lost."""
        return trace_id in self._unwritten

    def written(self, trace_id: str) -> list[RecordRef]:
        """Note that a closed trace needs no more. Returns the records that nobody needs now."""
        found = self._unwritten.pop(trace_id, None)
        places = found.places if found is not None else ()
        return [place for place in places if self._places.let_go(place, trace_id)]

    def lose(self, partition: int) -> list[RecordRef]:
        """Drop the traces with records of a partition that is no longer ours.

        Returns the records of other partitions that nobody needs now.
        """
        free: list[RecordRef] = []
        for trace_id in self._places.holders(partition):
            if trace_id in self._open:
                self._unwritten[trace_id] = self._take_out(trace_id)
            self._decided.forget(trace_id)
            self.counts["dropped"] += len(self._unwritten[trace_id].spans)
            free += self.written(trace_id)
        return [place for place in free if place.partition != partition]

    def holds(self, place: RecordRef) -> bool:
        """Say whether a record is still needed."""
        return self._places.holds(place)
