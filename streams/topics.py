"""What our topics must be like: which there are, and what is wrong with those that are there. Pure.

The changelogs of the watch half's tables are topics too.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from schemas.quantities import written_duration
from streams.address import Topics

SPANS_BY_TRACE = "streamgauge.assemble.spans"
"""Where spans go whose records mix traces, each trace by itself."""

PANES, STATE = "panes", "state"
"""The watch half's tables on Kafka."""

_KEPT = "retention.ms"
_CLEANED = "cleanup.policy"
_TIMES = "message.timestamp.type"
_OLD_ROWS_GO = {_CLEANED: "delete"}
_LATEST_STAYS = {_CLEANED: "compact"}


@dataclass(frozen=True, slots=True)
class TopicPlan:
    """What a topic should be. Those that are `alike` must have as many partitions as the leader.

    `holds`: `time` comes anew within seconds, `state` is what the watch half knows of the leader.
    """

    name: str
    config: Mapping[str, str] = field(default_factory=dict)
    alike: bool = False
    leads: bool = False
    holds: Literal["records", "time", "state"] = "records"


@dataclass(frozen=True, slots=True)
class TopicFound:
    """What a topic is: its partitions, the fewest copies of one, and its configuration."""

    partitions: int
    copies: int
    config: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TopicFault:
    """What is wrong with a topic, and the command that mends it."""

    topic: str
    fault: str
    remedy: str


def changelog(group: str, table: str) -> str:
    """Return the topic that keeps a table of the watch half, whose group this is."""
    return f"{group}-{table}-changelog"


def plans(topics: Topics, watch_group: str, spans: str = "otlp_spans") -> list[TopicPlan]:
    """Return all topics, with what their messages need. `spans` is where spans come in."""
    windows = {_CLEANED: "compact,delete", _KEPT: _ms(days=35)}
    # A segment is deleted as a whole once it is closed: an hour's marks need short ones.
    marks = _OLD_ROWS_GO | {_KEPT: _ms(hours=1), "segment.ms": _ms(minutes=10)}
    marks |= {_TIMES: "LogAppendTime"}  # no worker's clock can run ahead of it
    return [
        TopicPlan(spans, _OLD_ROWS_GO),
        TopicPlan(SPANS_BY_TRACE, _OLD_ROWS_GO | {_KEPT: _ms(days=1)}),
        TopicPlan(topics.traces, _OLD_ROWS_GO),
        TopicPlan(topics.scores, _OLD_ROWS_GO | {_KEPT: _ms(days=7)}, leads=True),
        TopicPlan(topics.marks, marks, alike=True, holds="time"),
        TopicPlan(topics.windows, windows),
        TopicPlan(topics.alerts, _LATEST_STAYS, alike=True),  # who owns one owns the other
        TopicPlan(topics.runs, _LATEST_STAYS),
        TopicPlan(topics.dead, _OLD_ROWS_GO | {_KEPT: _ms(days=30)}),
        *(
            TopicPlan(changelog(watch_group, table), _LATEST_STAYS, alike=True, holds="state")
            for table in (PANES, STATE)
        ),
    ]


def _ms(**duration: int) -> str:
    return str(int(timedelta(**duration).total_seconds() * 1000))


def missing(wanted: Sequence[TopicPlan], found: Mapping[str, TopicFound]) -> list[TopicPlan]:
    """Return the topics that are not there."""
    return [plan for plan in wanted if plan.name not in found]


def together(wanted: Sequence[TopicPlan], found: Mapping[str, TopicFound]) -> int:
    """Return how many partitions the topics have that must be alike; 0 where none is there."""
    there = [plan for plan in wanted if plan.name in found]
    leaders = [found[plan.name].partitions for plan in there if plan.leads]
    others = (found[plan.name].partitions for plan in there if plan.alike)
    return leaders[0] if leaders else max(others, default=0)


def faults(
    wanted: Sequence[TopicPlan], found: Mapping[str, TopicFound], *, copies: int, servers: str
) -> Iterator[TopicFault]:
    """Yield what is wrong. Retention is its owner's choice; cleaning the wrong way loses rows."""
    at = f"--bootstrap-server {servers}"
    afresh = "|".join(plan.name for plan in wanted if plan.leads or plan.holds != "records")
    leader = next(plan.name for plan in wanted if plan.leads)
    for plan in wanted:
        there = found.get(plan.name)
        if there is None:
            yield TopicFault(plan.name, "is not there", "streamgauge topics create")
            continue
        want, have = plan.config[_CLEANED], there.config.get(_CLEANED, "")
        if _parts(have) != _parts(want):
            remedy = _configured(plan.name, _CLEANED, f"[{want}]", at)
            yield TopicFault(plan.name, f"{_CLEANED} is {have}, must be {want}", remedy)
        if there.copies < copies:
            yield TopicFault(
                plan.name,
                f"has {there.copies} copies of a partition, kafka.replication asks for {copies}",
                f"kafka-reassign-partitions.sh {at}",
            )
        if plan.alike and leader in found:
            count = found[leader].partitions
            yield from _unlike(plan, there.partitions, leader, count, at=at, afresh=afresh)


def _unlike(  # noqa: PLR0913 - two topics with their partitions, and what to do about them
    plan: TopicPlan, has: int, leader: str, count: int, *, at: str, afresh: str
) -> Iterator[TopicFault]:
    """Partitions can be added and never taken away: else the one with fewer is the one to alter.

    A changelog has as many as the leader had when the watch half began. Where the leader has more
    by now, assistants are in other partitions than what is known of them.
    """
    unlike = f"has {has} partitions where {leader} has {count}"
    if has < count and plan.holds == "state":
        yield TopicFault(
            plan.name,
            f"{unlike}, which was altered since the watch half began: assistants have moved",
            f"stop both halves; kafka-topics.sh {at} --delete --topic '{afresh}'; "
            "streamgauge topics create",
        )
    elif has > count and plan.holds == "time":
        yield TopicFault(
            plan.name,
            f"{unlike}: the watch half reads both as one",
            f"stop both halves; kafka-topics.sh {at} --delete --topic {plan.name}; "
            "streamgauge topics create",
        )
    elif has != count:
        fewer, most = (plan.name, count) if has < count else (leader, has)
        yield TopicFault(
            plan.name,
            f"{unlike}: the watch half reads both as one",
            f"kafka-topics.sh {at} --alter --topic {fewer} --partitions {most}",
        )


def differences(
    wanted: Sequence[TopicPlan], found: Mapping[str, TopicFound], *, servers: str
) -> Iterator[TopicFault]:
    """Yield what was meant otherwise, and works: what goes sooner, and whose clock writes times."""
    at = f"--bootstrap-server {servers}"
    for plan in wanted:
        config = found[plan.name].config if plan.name in found else {}
        kept, meant = config.get(_KEPT), plan.config.get(_KEPT)
        if kept and meant and 0 <= int(kept) < int(meant):
            yield TopicFault(
                plan.name,
                f"keeps {_written(kept)}, {_written(meant)} are meant",
                _configured(plan.name, _KEPT, meant, at),
            )
        times, ours = config.get(_TIMES), plan.config.get(_TIMES)
        if times and ours and times != ours:
            yield TopicFault(
                plan.name,
                f"{_TIMES} is {times}: a worker whose clock is ahead can silence alerts",
                _configured(plan.name, _TIMES, ours, at),
            )


def _configured(topic: str, key: str, value: str, at: str) -> str:
    return (
        f"kafka-configs.sh {at} --alter --entity-type topics --entity-name {topic}"
        f" --add-config {key}={value}"
    )


def _written(milliseconds: str) -> str:
    return written_duration(timedelta(milliseconds=int(milliseconds)))


def _parts(policy: str) -> set[str]:
    return {part.strip() for part in policy.split(",")}
