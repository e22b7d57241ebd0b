"""What some rows of the traces topic say of it: fields, faults and traffic. Pure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from schemas.rejection import Rejection
from schemas.trace import RagTrace
from streams.console.lines import Line
from streams.intake.encodings import recognised
from streams.ports import Record

FIELDS = ("question", "contexts", "tool_results", "citations", "reference", "answer")
DAY_SECONDS = 86_400
_LEAST_SECONDS = 1.0
"""Rows of one burst tell nothing of a day."""


@dataclass(frozen=True, slots=True)
class RowSample:
    """Rows as read, each with its record."""

    rows: Sequence[tuple[Record, RagTrace | Rejection]]

    @property
    def traces(self) -> list[RagTrace]:
        """The rows that can be read."""
        return [row for _, row in self.rows if isinstance(row, RagTrace)]


def sample(
    records: Sequence[Record], decode: Callable[[Record], RagTrace | Rejection]
) -> RowSample:
    """Read the records."""
    return RowSample([(record, decode(record)) for record in records])


@dataclass(frozen=True, slots=True)
class Traffic:
    """Rows a day, guessed from when so many were answered."""

    a_day: float
    rows: int
    first: datetime
    last: datetime


def traffic(seen: RowSample) -> Traffic | None:
    """Guess the traffic; None where no partition's rows lie a second apart.

    Each partition is taken by itself, for equal shares of them were read, and may span unequal
    times: n rows have n - 1 gaps.
    """
    times: defaultdict[int, list[datetime]] = defaultdict(list)
    for record, row in seen.rows:
        if isinstance(row, RagTrace):
            times[record.partition].append(row.answered_at)
    spans = [(len(at) - 1, (max(at) - min(at)).total_seconds()) for at in times.values()]
    a_second = sum(gaps / seconds for gaps, seconds in spans if seconds >= _LEAST_SECONDS)
    if not a_second:
        return None
    every = [at for some in times.values() for at in some]
    return Traffic(a_second * DAY_SECONDS, len(every), min(every), max(every))


def sample_account(seen: RowSample, encoding: str = "json") -> Iterator[Line]:
    """Say what can be read, what it carries, why the rest cannot be, and how much comes a day.

    `encoding` is what the settings say that records are.
    """
    traces = seen.traces
    if not seen.rows:
        yield Line("rows: none yet")
        return
    readable = f"rows: {len(traces)} of the last {len(seen.rows)} can be read"
    yield Line(readable, tone="good" if traces else "bad")
    yield _encodings(seen, encoding)
    reasons = Counter(row.reason for _, row in seen.rows if isinstance(row, Rejection))
    for reason, count in reasons.most_common():
        yield Line(f"{count} rejected: {reason} (docs/messages.md)", depth=1, tone="bad")
    if traces:
        for name in FIELDS:
            yield Line(_field(name, traces), depth=1)
        names = Counter(trace.dialect or "not named" for trace in traces)
        dialects = ", ".join(f"{name} {count}" for name, count in names.most_common())
        yield Line(f"dialects: {dialects}", depth=1)
    yield Line(_traffic(seen))


def _encodings(seen: RowSample, encoding: str) -> Line:
    """Say what the records are, and which of them the settings do not speak of."""
    told = [(recognised(record) or "not known", row) for record, row in seen.rows]
    names = Counter(name for name, _ in told)
    found = ", ".join(f"{name} {count}" for name, count in names.most_common())
    others = {name for name, row in told if isinstance(row, Rejection)} - {encoding, "not known"}
    only = f"; intake.encoding: {encoding} reads no other" if others and encoding != "auto" else ""
    return Line(f"encodings: {found}{only}", depth=1)


def _field(name: str, traces: Sequence[RagTrace]) -> str:
    having = [value for trace in traces if (value := getattr(trace, name)) is not None]
    empty, unusable = sum(not value for value in having), sum(name in t.unusable for t in traces)
    notes = [f"{empty} of them empty"] * bool(empty) + [f"{unusable} unusable"] * bool(unusable)
    more = f", {', '.join(notes)}" if notes else ""
    return f"{name}: {len(having)} ({len(having) / len(traces):.0%}){more}"


def _traffic(seen: RowSample) -> str:
    found = traffic(seen)
    if found is None:
        return "traffic: not known, for the rows seen lie within a second"
    span = f"{found.first:%Y-%m-%d %H:%M:%S} to {found.last:%Y-%m-%d %H:%M:%S} UTC"
    return f"traffic: about {found.a_day:,.0f} rows a day, by {found.rows} from {span}"
