"""The work on one batch of records, as one consumer span tells of it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from streams.ports import Record
from streams.telemetry import conventions as names
from streams.telemetry.evaluations import Attributes
from streams.telemetry.targets import Target, carried_target
from streams.trace_context import carried

MOST_LINKS = 128
"""Links that a span may hold by OpenTelemetry's own limits."""


@dataclass(slots=True, eq=False)
class Work:
    """A batch from its admission until the last of its rows is done. Nanoseconds since 1970.

    It changes, and equals only itself. `left` is how many of its rows are still under way.
    """

    trace_id: int
    span_id: int
    topic: str
    attributes: Attributes
    links: Sequence[Target]
    began: int
    left: int
    ended: int = 0


def begun(records: Sequence[Record], *, ids: Target, system: str, group: str, at: int) -> Work:
    """Return the work, begun at that time, on rows of one batch: one at least.

    Each is linked to by the `traceparent` that it came with, up to `MOST_LINKS`.
    """
    first, several = records[0], len(records) > 1
    here = {
        names.MESSAGING_SYSTEM: system,
        names.OPERATION_NAME: "process",
        names.OPERATION_TYPE: "process",
        names.DESTINATION: first.topic,
        names.PARTITION_ID: str(first.partition),
        names.GROUP: group,
    }
    counted = {names.MESSAGE_COUNT: len(records)} if several else {names.OFFSET: first.offset}
    links = [target for one in records[:MOST_LINKS] if (target := _link(one)) is not None]
    return Work(*ids, first.topic, {**here, **counted}, links, at, len(records))


def _link(record: Record) -> Target | None:
    return carried_target(carried(record.headers) or "")
