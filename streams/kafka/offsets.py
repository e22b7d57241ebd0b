"""Where the reading of a partition begins, given its commit and its log. Pure.

Rows are never passed over in silence. What the log no longer has is a gap, and is told; a commit
that is not about this log sends us to its first row.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from streams.commits import resume
from streams.kafka.incidents import Incident


@dataclass(frozen=True, slots=True)
class Log:
    """A partition as it lies on the broker: offsets from `begin` (included) to `end` (excluded)."""

    topic_id: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Beginning:
    """Where to begin. `finished` as a tracker's bitmap; `since` None where no commit tells it.

    `incident` is what must be told of it, with `facts`. `gone`: how many offsets before it the log
    no longer has.
    """

    offset: int
    finished: bytes = b""
    since: int | None = None
    incident: Incident | None = None
    facts: Mapping[str, object] | None = None
    gone: int = 0


def beginning(commit: tuple[int, str] | None, log: Log, *, fresh: int) -> Beginning:
    """Return where to begin. `fresh` is the offset for a partition without a commit."""
    if commit is None:
        return Beginning(fresh)
    offset, text = commit
    found = resume(offset, text, topic_id=log.topic_id, end=log.end)
    if found.offset is None:
        incident: Incident = (
            "topic_recreated" if found.problem == "topic_recreated" else "beyond_end"
        )
        facts: dict[str, object] = {"committed": offset, "end": log.end, "going_on_at": log.begin}
        return Beginning(log.begin, incident=incident, facts=facts)
    if offset < log.begin:
        facts = {"first": offset, "up_to": log.begin, "rows": log.begin - offset}
        finished = shifted(found.finished, log.begin - offset)
        gone = log.begin - offset
        return Beginning(log.begin, finished, found.since, "retention_gap", facts, gone)
    if found.problem is not None:
        facts = {"committed": offset, "problem": found.problem}
        return Beginning(offset, found.finished, found.since, "commit_unreadable", facts)
    return Beginning(offset, found.finished, found.since)


def shifted(finished: bytes, by: int) -> bytes:
    """Return a bitmap as seen from an offset that is `by` later."""
    bits = int.from_bytes(finished, "little") >> by
    return bits.to_bytes((bits.bit_length() + 7) // 8, "little")
