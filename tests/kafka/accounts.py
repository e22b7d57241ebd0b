"""What became of every row, and of every call that was paid: from the topics and a ledger alone.

The invariants of the flow by name:
    I1 no loss          every row that was drawn has its event, every unreadable one its letter,
                        and every row is in one block of tallies that counts
    I2 bounded repeats  a verdict is paid twice only where its call was in flight at a fault
    I3 safe commits     no commit was ahead of an event or letter that was not written yet
    I4 steady commits   a life never commits less than it had committed
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from schemas.rejection import Rejection
from schemas.tally import Tally
from streams.address import EVENT_ID, ORIGIN, Topics
from streams.ports import Record
from streams.scoring.draws import Draw
from streams.scoring.sampling import Sampler
from tests.kafka.cluster_admin import read_all
from tests.kafka.history import Commit, History, history_of
from tests.kafka.worker import INTAKE

LATE_MS = 10_000
"""How long a call may be under way, from whoever was the owner to the judge. Between the two a
process may be frozen, beyond its session."""

Position = tuple[int, int]
"""Partition and offset of a row."""


class Call(NamedTuple):
    """A call to the judge that was answered, and so is paid: about which answer, by whom, when."""

    answer: str
    pid: int
    at: int


@dataclass(frozen=True)
class Account:
    """What is left to explain. `lost`: rows without their event or letter.

    A call that was paid again was in flight (its verdict was on no topic yet when the partition was
    taken up anew), or it was not: a fault of ours, `explained`. `untallied`: rows in no block that
    counts. `unsafe` and `backward`: commits that broke I3 and I4.
    """

    rows: int
    lost: int
    events: int
    repeated_events: int
    paid_twice_in_flight: int
    paid_twice_not_in_flight: int
    explained: tuple[str, ...]
    untallied: int
    unsafe: int
    backward: int
    widest_map: int
    generations: int


async def account(
    servers: str, topics: Topics, calls: Iterable[Call], *, group: str, sampler: Sampler
) -> Account:
    """Read everything, and settle it.

    The topics of scores and of dead letters must stamp records as they are appended.
    """
    rows = await read_all(servers, topics.traces)
    scores = await read_all(servers, topics.scores)
    dead = await read_all(servers, topics.dead)
    history = await history_of(servers, group, topics.traces)
    events = [record for record in scores if EVENT_ID in dict(record.headers)]
    settled = _first_times([*events, *dead])
    expected = _expected(rows, sampler)
    again = list(_paid_again(calls, _answers(rows)))
    known = [words for one in again if (words := _known(one, history, settled))]
    ids = Counter(dict(record.headers)[EVENT_ID] for record in events)
    return Account(
        rows=len(rows),
        lost=len(expected - settled.keys()),
        events=len(ids),
        repeated_events=ids.total() - len(ids),
        paid_twice_in_flight=len(again) - len(known),
        paid_twice_not_in_flight=len(known),
        explained=tuple(known),
        untallied=len(rows) - _tallied(scores),
        unsafe=sum(_unsafe(commit, expected, settled) for commit in history.commits),
        backward=_backward(history.commits),
        widest_map=max((len(commit.finished) for commit in history.commits), default=0),
        generations=history.generations,
    )


async def owed(servers: str, topics: Topics, sampler: Sampler) -> int:
    """Return how many rows have neither their event nor their letter yet."""
    expected = _expected(await read_all(servers, topics.traces), sampler)
    written = [*await read_all(servers, topics.scores), *await read_all(servers, topics.dead)]
    settled = _first_times([one for one in written if ORIGIN in dict(one.headers)])
    return len(expected - settled.keys())


def _expected(rows: Sequence[Record], sampler: Sampler) -> set[Position]:
    """Return every row that must have left a trace."""
    expected = set()
    for row in rows:
        found = sampler.draw(row)
        if isinstance(found, Rejection) or (isinstance(found, Draw) and found.drawn):
            expected.add((row.partition, row.offset))
    return expected


def _first_times(records: Sequence[Record]) -> dict[Position, int]:
    """Return when the first event or letter of each row was appended."""
    first: dict[Position, int] = {}
    for record in records:
        _, partition, offset, _ = dict(record.headers)[ORIGIN].decode().rsplit("/", 3)
        place = int(partition), int(offset)
        first[place] = min(record.timestamp, first.get(place, record.timestamp))
    return first


def _answers(rows: Sequence[Record]) -> dict[str, Position]:
    """Return where the row of each answer lies. (One that was written twice is two rows.)"""
    traces = ((row, INTAKE.decode(row)) for row in rows)
    places: defaultdict[str, list[Position]] = defaultdict(list)
    for row, trace in traces:
        if not isinstance(trace, Rejection):
            places[trace.answer or ""].append((row.partition, row.offset))
    return {answer: found[0] for answer, found in places.items() if len(found) == 1}


class _Again(NamedTuple):
    """A call that was paid again, and the calls about the same row before it."""

    place: Position
    call: Call
    before: Sequence[Call]


def _paid_again(calls: Iterable[Call], places: Mapping[str, Position]) -> Iterable[_Again]:
    by_answer: defaultdict[str, list[Call]] = defaultdict(list)
    for call in sorted(calls, key=lambda call: call.at):
        by_answer[call.answer].append(call)
    for answer, found in by_answer.items():
        if answer not in places:
            continue
        for n, call in enumerate(found[1:], start=1):
            yield _Again(places[answer], call, found[:n])


def _known(again: _Again, history: History, settled: Mapping[Position, int]) -> str:
    """Say why the verdict need not have been paid again; nothing, if the row was in flight.

    A process may finish what it had begun when its partition went, but must not begin anything of
    it: it may not know of that at once.
    """
    call = again.call
    run = history.run(again.place[0], call.pid, call.at)
    if run is None:
        why = "never its row"
    elif call.at > run.end + LATE_MS:
        why = f"long after {run}"
    elif (written := settled.get(again.place, call.at)) < run.begin:
        why = f"written at {written}, before {run}"
    elif call.at <= run.end and any(
        one.pid == call.pid and run.begin <= one.at for one in again.before
    ):
        why = f"by the same owner: {run}"
    else:
        return ""
    return f"{again.place} {call}, after {again.before}: {why}"


def _tallied(scores: Sequence[Record]) -> int:
    """Return how many rows are in blocks that count: from the latest down, none overlaps one."""
    blocks: defaultdict[tuple[int, int, int, int], int] = defaultdict(int)
    for record in scores:
        if EVENT_ID not in dict(record.headers):
            tally = Tally.model_validate_json(record.value or b"")
            at = tally.source
            seen = tally.rejected + sum(one.seen for one in tally.strata.values())
            blocks[at.partition, at.epoch, at.to, at.from_] += seen
    counted: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    rows = 0
    for (number, _, to, begin), seen in sorted(blocks.items(), reverse=True):
        if all(to <= other or begin >= end for other, end in counted[number]):
            counted[number].append((begin, to))
            rows += seen
    return rows


def _unsafe(commit: Commit, expected: set[Position], settled: Mapping[Position, int]) -> bool:
    """Say whether the commit calls a row finished that had nothing to show for it yet."""
    below = [(commit.partition, n) for n in range(commit.offset)]
    finished = [(commit.partition, n) for n in commit.finished]
    return any(
        settled.get(place, commit.at + 1) > commit.at
        for place in (*below, *finished)
        if place in expected
    )


def _backward(commits: Sequence[Commit]) -> int:
    furthest: dict[tuple[str, int], int] = {}
    count = 0
    for commit in commits:
        life = commit.owner, commit.partition
        count += commit.offset < furthest.get(life, 0)
        furthest[life] = max(commit.offset, furthest.get(life, 0))
    return count
