"""One side of a comparison: the verdicts of a run, or of live traffic, as they are read. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from sys import intern
from typing import NamedTuple

from pydantic import ValidationError

from schemas.identity import hash_of
from schemas.run import Run
from schemas.score import Scored, ScoreEvent
from schemas.wire import to_milliseconds
from streams.address import EVENT_ID, ORIGIN
from streams.ports import Record
from streams.replay.pairs import Speaker, Verdict
from streams.watch.panes.events import enters_rate


class Place(NamedTuple):
    """Where a scored row lies; `timestamp` in milliseconds since 1970."""

    topic: str
    partition: int
    offset: int
    timestamp: int


Covers = Callable[[Place], bool]
"""Says whether the other side could have a verdict on a row at all."""


def everything(_: Place) -> bool:
    """Say that live traffic could have any row."""
    return True


def covered(manifests: Sequence[Run]) -> Covers:
    """Return what tells the rows that a run (all of its shards) covers; unknown runs cover all.

    Of rows of another topic nobody can say that they are not among them.
    """

    def covers(place: Place) -> bool:
        return not manifests or any(_holds(run, place) for run in manifests)

    return covers


def _holds(run: Run, place: Place) -> bool:
    if place.topic != run.topic:
        return True
    stretch = run.partitions.get(place.partition)
    if stretch is None or not stretch.start <= place.offset < stretch.end:
        return False
    since = run.from_ is None or to_milliseconds(run.from_) <= place.timestamp
    return since and (run.to is None or place.timestamp < to_milliseconds(run.to))


class Keys(NamedTuple):
    """What tells a row: by its trace alone, and by where it lies as well."""

    name: bytes
    row: bytes


@dataclass(slots=True)
class _Known:
    verdict: Verdict
    keys: list[Keys]


@dataclass(slots=True)
class Side:
    """The verdicts of live traffic (`run` is None) or of a run, on rows that the other side covers.

    Of an event id the first counts. `outside` are the verdicts on rows that the other side leaves
    out, `unreadable` the records that are no score.
    """

    run: str | None
    covers: Covers = everything
    outside: int = 0
    unreadable: int = 0
    topics: set[str] = field(default_factory=set)
    _known: dict[bytes, _Known] = field(default_factory=dict)
    _speakers: dict[Speaker, Speaker] = field(default_factory=dict)

    def take(self, record: Record, headers: Mapping[str, bytes]) -> None:
        """Take a record of the scores topic that is of this side; a tally is passed over."""
        place = _place(headers.get(ORIGIN, b""))
        if EVENT_ID not in headers or place is None:
            return
        if not self.covers(place):
            self.outside += 1
            return
        try:
            event = ScoreEvent.model_validate_json(record.value or b"")
        except ValidationError:
            self.unreadable += 1
            return
        self.topics.add(place.topic)
        keys, known = _keys(event), self._known.get(headers[EVENT_ID])
        if known is None:
            verdict = self._verdict(event, (record.partition, record.offset))
            self._known[headers[EVENT_ID]] = _Known(verdict, [keys])
        elif keys not in known.keys:
            known.keys.append(keys)

    def _verdict(self, event: ScoreEvent, place: tuple[int, int]) -> Verdict:
        outcome, judge = event.outcome, event.judge
        scored = outcome if isinstance(outcome, Scored) else None
        speaker = Speaker(
            event.scorer.version,
            judge.name,
            judge.version,
            judge.resolved or judge.model or "",
            event.config_hash,
            event.series,
        )
        return Verdict(
            scorer=intern(event.scorer.name),
            speaker=self._speakers.setdefault(speaker, speaker),
            status=intern(outcome.status),
            score=scored.normalized if scored else None,
            bad=scored.bad if scored and enters_rate(scored) else None,
            probability=event.sampling.probability,
            reused=event.reused,
            place=place,
        )

    def verdicts(self) -> Iterator[tuple[bytes, Verdict, Sequence[Keys]]]:
        """Yield event ids with their verdicts and the keys of their rows."""
        for event_id, known in self._known.items():
            yield event_id, known.verdict, known.keys


def _place(header: bytes) -> Place | None:
    try:
        topic, partition, offset, timestamp = header.decode().rsplit("/", 3)
        return Place(topic, int(partition), int(offset), int(timestamp))
    except ValueError:
        return None


def _keys(event: ScoreEvent) -> Keys:
    trace, at = event.trace, event.origin
    name = (trace.trace_id, trace.span_id or "", event.scorer.name)
    return Keys(_digest(name), _digest((*name, at.topic, str(at.partition), str(at.offset))))


def _digest(words: Sequence[str]) -> bytes:
    """Return what stands for words, in less room."""
    return bytes.fromhex(hash_of(words, size=16))
