"""Which stretch of each partition a replay reads, planned once from what its log is. Pure.

The start is exact: no row before the first one that is not older than `from` was asked for. The end
is the log's end at the launch. `to` cuts it only where the broker stamps the rows, with an hour of
slack: by times that producers gave, one row from a clock that is ahead would end the reading early.
There the whole log is read, and rows outside of the times are passed over.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from schemas.run import Stretch
from schemas.wire import from_milliseconds, rfc3339, to_milliseconds

SLACK = timedelta(hours=1)
"""How far times that a broker stamped may go back, for leaders' clocks differ."""


class Extent(NamedTuple):
    """What a partition's log is: offsets from `begin` (included) to `end` (excluded).

    `first`: the first offset of a time not before `from`; None: there is none. `oldest`: the time
    of the first record that is there, in milliseconds since 1970; None: there is none. `beyond`: an
    offset from which on every row is certain to be later than `to`; None: nobody knows one.
    """

    begin: int
    end: int
    first: int | None
    oldest: int | None
    beyond: int | None = None


class Extents(NamedTuple):
    """A topic's id and what the log of each partition is; of a topic that is unknown there is none.

    The id is empty where brokers know none.
    """

    topic_id: str
    partitions: Mapping[int, Extent]


class Survey(Protocol):
    """Looks up what a topic's logs are: on the folder log and on Kafka."""

    async def extents(self, topic: str, *, from_: datetime | None, to: datetime | None) -> Extents:
        """Return them. Without `from_`, a log's first row is at its begin.

        Raises ConnectionError where the log cannot be asked.
        """
        ...


class ReplayRefusedError(ValueError):
    """What was asked for cannot be replayed: it says why, and what to ask for instead."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The stretches to read, by partition; what a person should know of them.

    `topic_id` and `of`, the number of partitions, are those of the topic as it was planned for.
    """

    topic_id: str
    of: int
    stretches: dict[int, Stretch]
    messages: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to read: such a run is complete at once."""
        return all(stretch.start == stretch.end for stretch in self.stretches.values())


def plan(  # noqa: PLR0913 - what was asked, and what there is
    topic: str,
    extents: Extents,
    *,
    from_: datetime | None,
    to: datetime | None,
    ours: Callable[[int], bool],
    now: datetime,
) -> Plan:
    """Return what a run reads of those partitions that are ours. Raises ReplayRefusedError."""
    check_times(from_, to, now=now)
    if not extents.partitions:
        raise ReplayRefusedError(
            f"there is no topic {topic}: see the topic's name in the settings, or run "
            "`streamgauge topics create`"
        )
    found = {n: at for n, at in sorted(extents.partitions.items()) if ours(n)}
    nothing = from_ is not None and from_ == to
    stretches = {n: _stretch(at, from_, nothing=nothing) for n, at in found.items()}
    planned = Plan(extents.topic_id, len(extents.partitions), stretches)
    messages = [
        _missing(topic, number, found[number], from_)
        for number, stretch in stretches.items()
        if stretch.gone is None and from_ is not None
    ]
    if planned.empty:
        messages.append(_nothing(topic, from_, to, ours=bool(found)))
    return replace(planned, messages=tuple(messages))


def check_times(from_: datetime | None, to: datetime | None, *, now: datetime) -> None:
    """Refuse times between which nothing can be. Raises ReplayRefusedError.

    Times that are equal are no error: there is nothing between them.
    """
    if from_ is not None and to is not None and from_ > to:
        raise ReplayRefusedError(
            f"--from {rfc3339(from_)} is after --to {rfc3339(to)}: exchange the two"
        )
    if from_ is not None and from_ > now:
        raise ReplayRefusedError(
            f"--from {rfc3339(from_)} is in the future (it is {rfc3339(now)}): a replay reads what "
            "is there already"
        )


def _stretch(extent: Extent, from_: datetime | None, *, nothing: bool) -> Stretch:
    begin = extent.begin if from_ is None else extent.first
    start = extent.end if begin is None else min(max(begin, extent.begin), extent.end)
    end = extent.end if extent.beyond is None else max(start, min(extent.end, extent.beyond))
    gone = None if from_ is not None and _cut_short(extent, from_) else 0
    return Stretch(start=start, end=start if nothing else end, gone=0 if nothing else gone)


def _cut_short(extent: Extent, from_: datetime) -> bool:
    """Say whether rows that were asked for may have been deleted: nobody knows how many."""
    return extent.begin > 0 and (extent.oldest is None or extent.oldest > to_milliseconds(from_))


def _missing(topic: str, number: int, extent: Extent, from_: datetime) -> str:
    place = f"{topic}/{number}: rows since {rfc3339(from_)} may be gone, for retention deleted"
    if extent.oldest is None:
        return f"{place} all {extent.begin} that it had; ask for later ones, or keep them longer"
    oldest = rfc3339(from_milliseconds(extent.oldest))
    return (
        f"{place} what lay before offset {extent.begin}; the oldest that is there is of {oldest}: "
        f"what is there is read, and the run ends with gaps; --from {oldest} has none"
    )


def _nothing(topic: str, from_: datetime | None, to: datetime | None, *, ours: bool) -> str:
    if not ours:
        return f"no partition of {topic} falls to this shard: nothing to do"
    since = "" if from_ is None else f" from {rfc3339(from_)} on"
    until = "" if to is None else f" before {rfc3339(to)}"
    return f"{topic} has no row{since}{until}: nothing to replay"
