"""What became of every row, and of every call that was paid: from the topics and the ledger alone.

The invariants of the flow by name:
    I1 no loss          every row that was drawn has its event, every unreadable one its letter
    I2 bounded repeats  a verdict is paid twice only where its call was in flight at a fault
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from schemas.rejection import Rejection
from streams.address import EVENT_ID, ORIGIN, Topics
from streams.ports import Record
from streams.scoring.sampling import Draw
from tests.kafka.cluster_admin import read_all
from tests.kafka.worker import INTAKE, entries, sampler_of


@dataclass(frozen=True)
class Account:
    """What is left to explain. `lost`: rows without their event or letter.

    Calls that were paid again are counted by what lay on the topic then: not yet a verdict (it was
    in flight), or one already (a fault of ours).
    """

    rows: int
    lost: int
    events: int
    repeated_events: int
    paid_twice_in_flight: int
    paid_twice_not_in_flight: int


async def account(servers: str, topics: Topics, ledger: Path, *, probability: float) -> Account:
    """Read everything, and settle it. The scores topic must stamp records as they are appended."""
    rows = await read_all(servers, topics.traces)
    scores = await read_all(servers, topics.scores)
    dead = await read_all(servers, topics.dead)
    events = [record for record in scores if EVENT_ID in dict(record.headers)]
    in_flight, not_in_flight = _paid_twice(rows, events, ledger)
    ids = Counter(dict(record.headers)[EVENT_ID] for record in events)
    return Account(
        rows=len(rows),
        lost=len(_expected(rows, probability) - _places(events) - _places(dead)),
        events=len(ids),
        repeated_events=ids.total() - len(ids),
        paid_twice_in_flight=in_flight,
        paid_twice_not_in_flight=not_in_flight,
    )


def _expected(rows: Sequence[Record], probability: float) -> set[tuple[int, int]]:
    """Return partition and offset of every row that must have left a trace."""
    draw = sampler_of(probability).draw
    expected = set()
    for row in rows:
        found = draw(row)
        drawn = isinstance(found, Rejection) or (isinstance(found, Draw) and bool(found.drawn))
        if drawn:
            expected.add((row.partition, row.offset))
    return expected


def _places(records: Sequence[Record]) -> set[tuple[int, int]]:
    found = set()
    for record in records:
        _, partition, offset, _ = dict(record.headers)[ORIGIN].decode().rsplit("/", 3)
        found.add((int(partition), int(offset)))
    return found


def _paid_twice(rows: Sequence[Record], events: Sequence[Record], ledger: Path) -> tuple[int, int]:
    """Count the calls after the first, by whether a verdict lay on the topic when they began."""
    appended = _appended(events)
    places = _claims(rows)
    begun: defaultdict[str, list[int]] = defaultdict(list)
    for entry in entries(ledger):
        if entry.what == "begin":
            begun[entry.claim].append(entry.at)
    again = [(places[claim], at) for claim, times in begun.items() for at in sorted(times)[1:]]
    known = sum(place in appended and appended[place] < at for place, at in again)
    return len(again) - known, known


def _claims(rows: Sequence[Record]) -> dict[str, tuple[int, int]]:
    """Return where the row of each claim lies."""
    traces = ((row, INTAKE.decode(row)) for row in rows)
    return {
        trace.answer or "": (row.partition, row.offset)
        for row, trace in traces
        if not isinstance(trace, Rejection)
    }


def _appended(events: Sequence[Record]) -> dict[tuple[int, int], int]:
    """Return when the first verdict of each row was appended."""
    first: dict[tuple[int, int], int] = {}
    for event in events:
        for place in _places([event]):
            first[place] = min(event.timestamp, first.get(place, event.timestamp))
    return first
