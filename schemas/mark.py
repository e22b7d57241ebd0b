"""Time as a record: the score half's clock (marks) and the watch half's own (ticks)."""

from typing import Literal

from pydantic import Field

from schemas.wire import Instant, WireModel


class PartitionProgress(WireModel):
    """How far one source partition has been worked off.

    `next` is the first offset not finished, `end` the end of the log, `event_time` the greatest
    min(event time, record's timestamp) below `next` (null before the first row).
    """

    next: int = Field(ge=0)
    end: int = Field(ge=0)
    event_time: Instant | None = None
    epoch: int = Field(ge=0)


class Mark(WireModel):
    """What one worker has finished by `at`. One copy goes to each partition of the marks topic.

    `of` is the number of source partitions; `scores` the end of the scores partition with the same
    number as the copy's own, when the mark was made; `done` ends a replay's run.
    """

    schema_: Literal["streamgauge.mark/1"] = Field("streamgauge.mark/1", alias="schema")
    kind: Literal["mark"] = "mark"
    worker: str
    at: Instant
    run: str | None = None
    done: bool = False
    of: int = Field(ge=1)
    scores: int = Field(default=0, ge=0)
    partitions: dict[int, PartitionProgress]


class Tick(WireModel):
    """Time that passes in the watch half when nobody else speaks."""

    schema_: Literal["streamgauge.tick/1"] = Field("streamgauge.tick/1", alias="schema")
    kind: Literal["tick"] = "tick"
    at: Instant
