"""Where a message goes: its topic, key, partition and headers, alike on every adapter. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from schemas.alert import Alert, Mute, Notice
from schemas.pane import Pane
from schemas.rejection import Rejection
from schemas.score import ScoreEvent
from schemas.tally import Tally
from schemas.wire import rfc3339, to_milliseconds
from streams.ports import Message, Record
from streams.trace_context import TRACEPARENT

ORIGIN = "streamgauge-origin"
EVENT_ID = "streamgauge-event-id"
MODE = "streamgauge-mode"
LIVE = "live"
_REPLAY = "replay:"

REASON = "streamgauge-reason"
DETAIL = "streamgauge-detail"
ATTEMPTS = "streamgauge-attempts"
FIRST_FAILED_AT = "streamgauge-first-failed-at"
REDRIVES = "streamgauge-redrives"
ORIGINAL = "original-"
_COUNT = re.compile(rb"[0-9]{1,9}")

Headers = tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True)
class Topics:
    """The names of our topics."""

    traces: str = "rag.traces"
    scores: str = "rag.scores"
    marks: str = "rag.marks"
    windows: str = "rag.windows"
    alerts: str = "rag.alerts"
    runs: str = "rag.runs"
    dead: str = "rag.dead"


class Letter(NamedTuple):
    """A message ready to be written. `route` chooses the partition (`streams.partitioning`)."""

    topic: str
    key: bytes
    route: bytes
    value: bytes
    headers: Headers


def letter(message: Message, topics: Topics) -> Letter:
    """Return a message's bytes and where they go. All of an assistant's go to one partition."""
    value = message.to_json()
    match message:
        case ScoreEvent():
            key = message.assistant.encode()
            return Letter(topics.scores, key, key, value, _score_headers(message))
        case Tally():
            key = message.assistant.encode()
            return Letter(topics.scores, key, key, value, ((MODE, mode(message.run)),))
        case Pane():
            route = message.assistant.encode()
            return Letter(topics.windows, message.key.encode(), route, value, ())
        case Alert():
            route = alerted(message).encode()
            return Letter(topics.alerts, message.dedup_key.encode(), route, value, ())
        case Notice():
            key = f"notice|{message.receiver}|{message.dedup_key}".encode()
            return Letter(topics.alerts, key, message.assistant.encode(), value, ())


def mode(run: str | None) -> bytes:
    """Return the value of the mode header: `live`, or `replay:RUN`."""
    return (LIVE if run is None else f"{_REPLAY}{run}").encode()


def run_named(mode: bytes) -> str | None:
    """Return the run that the value of a mode header names; None where it names none."""
    name = mode.decode(errors="replace")
    return name.removeprefix(_REPLAY) if name.startswith(_REPLAY) else None


def origin(topic: str, partition: int, offset: int, timestamp: int) -> bytes:
    """Return the value of the origin header; `timestamp` in milliseconds since 1970."""
    return f"{topic}/{partition}/{offset}/{timestamp}".encode()


def _score_headers(event: ScoreEvent) -> Headers:
    at = event.origin
    place = origin(at.topic, at.partition, at.offset, to_milliseconds(at.timestamp))
    headers = (
        (ORIGIN, place),
        (EVENT_ID, event.event_id.encode()),
        (MODE, mode(event.run)),
    )
    if event.traceparent is None:
        return headers
    return (*headers, (TRACEPARENT, event.traceparent.encode()))


def alerted(alert: Alert) -> str:
    """Return the assistant that an alert is about: its partition holds all that is said of it."""
    labels = alert.labels
    return f"{labels.get('service_name', '')}/{labels.get('environment', '')}"


def muting(mute: Mute, topics: Topics) -> tuple[str, bytes, bytes]:
    """Return topic, key and value of a mute, of which each partition gets a copy."""
    return topics.alerts, f"mute|{mute.id}".encode(), mute.to_json()


def published_row(headers: Headers, *, topic: str, wanted: bytes) -> tuple[int, int, str] | None:
    """Return partition, offset and event id of the row of `topic` that a score's headers name.

    None for anything else: a tally, a row of another topic, a score of another mode than `wanted`,
    headers that nobody of ours wrote.
    """
    named = dict(headers)
    if named.get(MODE) != wanted or ORIGIN not in named or EVENT_ID not in named:
        return None
    try:
        of, partition, offset, _ = named[ORIGIN].decode().rsplit("/", 3)
        return (int(partition), int(offset), named[EVENT_ID].decode()) if of == topic else None
    except ValueError:
        return None


def dead_headers(
    record: Record, rejection: Rejection, *, at: datetime, group: str, version: str
) -> Headers:
    """Return the headers of a dead letter: the why, then the record's own under `original-`.

    A record that was sent back from the dead letters carries three of them (attempts, first
    failure, redrives): they are counted on, and are not originals.
    """
    carried = dict(record.headers)
    place = origin(record.topic, record.partition, record.offset, record.timestamp)
    why: Sequence[tuple[str, bytes]] = (
        (ORIGIN, place),
        (REASON, rejection.reason.encode()),
        (DETAIL, rejection.detail.encode(errors="replace")),
        (ATTEMPTS, str(count_of(carried.get(ATTEMPTS)) + 1).encode()),
        (FIRST_FAILED_AT, carried.get(FIRST_FAILED_AT, rfc3339(at).encode())),
        ("streamgauge-group", group.encode()),
        ("streamgauge-version", version.encode()),
        (REDRIVES, str(count_of(carried.get(REDRIVES))).encode()),
    )
    ours = {ATTEMPTS, FIRST_FAILED_AT, REDRIVES}
    originals = ((f"{ORIGINAL}{name}", value) for name, value in record.headers if name not in ours)
    return (*why, *originals)


def count_of(text: bytes | None) -> int:
    """Return the count that a header of a dead letter holds; 0 where it holds none."""
    return int(text) if text is not None and _COUNT.fullmatch(text) else 0
