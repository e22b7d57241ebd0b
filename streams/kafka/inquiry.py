"""What the cluster says of partitions that are to be read: commits, logs, where reading begins."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from schemas.wire import to_milliseconds
from streams.kafka.deadlines import ANSWER, within
from streams.kafka.group_offsets import Commit, group_offsets
from streams.kafka.offsets import Log
from streams.kafka.topic_ids import topic_ids
from streams.subscription import Bounds, Subscription


@dataclass(frozen=True, slots=True)
class Inquiry:
    """Asks, and changes nothing. Each raises KafkaError, OSError or TimeoutError."""

    subscription: Subscription
    consumer: AIOKafkaConsumer
    admin: AIOKafkaAdminClient

    async def topic_id(self) -> str:
        """Return the id of the topic as it is now; empty where brokers know none."""
        topic = self.subscription.topic
        ids = await within(ANSWER, topic_ids(self.admin, [topic]))
        if topic not in ids:
            raise KafkaError(f"the topic {topic} is not there: streamgauge topics create")
        return ids[topic]

    async def has_scores(self) -> bool:
        """Say whether the topic is there that tells what was published."""
        scores = self.subscription.scores
        return scores in await within(ANSWER, topic_ids(self.admin, [scores]))

    async def commits(self) -> dict[int, Commit]:
        """Return what the group committed of the topic, by partition, where it did."""
        group, topic = self.subscription.group, self.subscription.topic
        found = await within(ANSWER, group_offsets(self.admin, group))
        return {at.partition: commit for at, commit in found.items() if at.topic == topic}

    async def logs(self, numbers: Collection[int], topic_id: str) -> dict[int, Log]:
        """Return the partitions' logs, as a reading of the subscription's bounds sees them."""
        parts = [self._part(number) for number in numbers]
        begins = await within(ANSWER, self.consumer.beginning_offsets(parts))
        ends = await within(ANSWER, self.consumer.end_offsets(parts))
        logs = {part.partition: Log(topic_id, begins[part], ends[part]) for part in parts}
        bounds = self.subscription.bounds
        return logs if bounds is None else {n: _within(bounds[n], n, logs[n]) for n in logs}

    async def fresh(
        self, new: Collection[int], commits: Mapping[int, Commit], logs: Mapping[int, Log]
    ) -> dict[int, int]:
        """Return where partitions without a commit begin. One that is new to a topic: at its start.

        The start policy is for a group's very first assignment; afterwards it would skip rows.
        """
        if self.subscription.bounds is not None:
            return {number: self.subscription.bounds[number].start for number in new}
        start = "earliest" if commits else self.subscription.start
        if start == "earliest":
            return {number: logs[number].begin for number in new}
        if start == "latest":
            return {number: logs[number].end for number in new}
        at = dict.fromkeys(map(self._part, new), to_milliseconds(start))
        found = await within(ANSWER, self.consumer.offsets_for_times(at)) if at else {}
        return {
            part.partition: logs[part.partition].end if place is None else place.offset
            for part, place in found.items()
        }

    def _part(self, number: int) -> TopicPartition:
        return TopicPartition(self.subscription.topic, number)


def _within(bounds: Bounds, number: int, log: Log) -> Log:
    """Return a log as a reading of those bounds sees it: what retention took behind them is no gap.

    Raises KafkaError where the log ends before them: a leader may be behind for a moment.
    """
    if log.end < bounds.end:
        raise KafkaError(
            f"partition {number} ends at {log.end}, and had rows up to {bounds.end}: it was cut "
            "short, and the run cannot go on"
        )
    return replace(log, begin=min(log.begin, bounds.end))
