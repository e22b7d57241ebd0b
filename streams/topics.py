"""What our topics must be like: which there are, and what is wrong with those that are there. Pure.

The changelogs of the watch half's tables are topics too.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from streams.address import Topics

SPANS_BY_TRACE = "streamgauge.assemble.spans"
"""Where spans go whose records mix traces, each trace by itself."""

PANES, STATE = "panes", "state"
"""The watch half's tables on Kafka."""

_KEPT = "retention.ms"
_CLEANED = "cleanup.policy"
_OLD_ROWS_GO = {_CLEANED: "delete"}
_LATEST_STAYS = {_CLEANED: "compact"}


@dataclass(frozen=True, slots=True)
class TopicPlan:
    """What a topic should be. Those that are `alike` must have as many partitions as the leader."""

    name: str
    config: Mapping[str, str] = field(default_factory=dict)
    alike: bool = False
    leads: bool = False


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
    marks |= {"message.timestamp.type": "LogAppendTime"}  # no worker's clock can run ahead of it
    return [
        TopicPlan(spans, _OLD_ROWS_GO),
        TopicPlan(SPANS_BY_TRACE, _OLD_ROWS_GO | {_KEPT: _ms(days=1)}),
        TopicPlan(topics.traces, _OLD_ROWS_GO),
        TopicPlan(topics.scores, _OLD_ROWS_GO | {_KEPT: _ms(days=7)}, leads=True),
        TopicPlan(topics.marks, marks, alike=True),
        TopicPlan(topics.windows, windows),
        TopicPlan(topics.alerts, _LATEST_STAYS, alike=True),  # who owns one owns the other
        TopicPlan(topics.runs, _LATEST_STAYS),
        TopicPlan(topics.dead, _OLD_ROWS_GO | {_KEPT: _ms(days=30)}),
        *(TopicPlan(changelog(watch_group, t), _LATEST_STAYS, alike=True) for t in (PANES, STATE)),
    ]


def _ms(**duration: int) -> str:
    return str(int(timedelta(**duration).total_seconds() * 1000))


def missing(wanted: Sequence[TopicPlan], found: Mapping[str, TopicFound]) -> list[TopicPlan]:
    """Return the topics that are not there."""
    return [plan for plan in wanted if plan.name not in found]


def faults(
    wanted: Sequence[TopicPlan], found: Mapping[str, TopicFound], *, copies: int, servers: str
) -> Iterator[TopicFault]:
    """Yield what is wrong. Retention is its owner's choice; cleaning the wrong way loses rows."""
    at = f"--bootstrap-server {servers}"
    leader = next(plan.name for plan in wanted if plan.leads)
    for plan in wanted:
        there = found.get(plan.name)
        if there is None:
            yield TopicFault(plan.name, "is not there", "streamgauge topics create")
            continue
        want, have = plan.config[_CLEANED], there.config.get(_CLEANED, "")
        if _parts(have) != _parts(want):
            yield TopicFault(
                plan.name,
                f"{_CLEANED} is {have}, must be {want}",
                f"kafka-configs.sh {at} --alter --entity-type topics --entity-name {plan.name}"
                f" --add-config {_CLEANED}=[{want}]",
            )
        if there.copies < copies:
            yield TopicFault(
                plan.name,
                f"has {there.copies} copies of a partition, kafka.replication asks for {copies}",
                f"kafka-reassign-partitions.sh {at}",
            )
        if plan.alike and leader in found:
            yield from _unlike(plan.name, there.partitions, leader, found[leader].partitions, at)


def _unlike(topic: str, has: int, leader: str, count: int, at: str) -> Iterator[TopicFault]:
    """Partitions can be added and never taken away: the one with fewer is the one to alter."""
    if has != count:
        fewer, most = (topic, count) if has < count else (leader, has)
        yield TopicFault(
            topic,
            f"has {has} partitions where {leader} has {count}: the watch half reads both as one",
            f"kafka-topics.sh {at} --alter --topic {fewer} --partitions {most}",
        )


def _parts(policy: str) -> set[str]:
    return {part.strip() for part in policy.split(",")}
