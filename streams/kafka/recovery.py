"""Taking partitions up: where their commits left them, and with all that was published since.

Nothing is read from a partition before a commit of our own stands beside its offset: that commit's
time is where an owner after us, should we be killed in the next moment, looks for what we publish.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from schemas.wire import to_milliseconds
from streams.address import mode
from streams.commits import Metadata, decode
from streams.kafka.committer import Committer
from streams.kafka.connection import Connection
from streams.kafka.deadlines import ANSWER, within
from streams.kafka.held import Held, Holdings
from streams.kafka.incidents import Incidents
from streams.kafka.offsets import Beginning, Log, beginning
from streams.kafka.tail import Published, published_since
from streams.kafka.topic_ids import topic_ids
from streams.ports import Clock
from streams.subscription import Bounds, Subscription
from streams.tracker import Tracker

MARGIN = timedelta(minutes=5)
"""How much the clocks of two workers, or of a broker, may differ."""

Commit = tuple[int, str]


@dataclass(slots=True)
class Recovery:
    """Brings assigned partitions from `assigned` to being read. Each question has a deadline.

    `first_published`: nothing was published for the group before, in milliseconds since 1970.
    """

    connection: Connection
    subscription: Subscription
    consumer: AIOKafkaConsumer
    admin: AIOKafkaAdminClient
    holdings: Holdings
    committer: Committer
    clock: Clock
    incidents: Incidents
    first_published: int = 0

    async def take_up(self, numbers: Collection[int]) -> None:
        """Take the partitions up. Raises KafkaError, OSError or TimeoutError: then try again."""
        topic_id = await self.topic_id()
        commits = await self._commits()
        logs = await self._logs(numbers, topic_id)
        for number in numbers:
            if self._comes_back(number, commits.get(number), topic_id):
                self._resume(number)
        new = [number for number in numbers if number not in self.holdings.held]
        beginnings = await self._beginnings(new, commits, logs)
        published = await self._published(beginnings)
        for number, found in beginnings.items():
            if number in self.holdings.mine:
                self._take(number, found, logs[number], published.get(number, {}))
        if not await self.committer.commit():
            raise TimeoutError("the first commit was not taken")
        for number in new:
            if (held := self.holdings.held.get(number)) is not None and held.commits:
                self._resume(number)

    async def topic_id(self) -> str:
        """Return the id of the topic as it is now; empty where brokers know none."""
        topic = self.subscription.topic
        ids = await within(ANSWER, topic_ids(self.admin, [topic]))
        if topic not in ids:
            raise KafkaError(f"the topic {topic} is not there: streamgauge topics create")
        return ids[topic]

    async def _commits(self) -> dict[int, Commit]:
        group, topic = self.subscription.group, self.subscription.topic
        found = await within(ANSWER, self.admin.list_consumer_group_offsets(group))
        return {
            at.partition: (committed.offset, committed.metadata)
            for at, committed in found.items()
            if at.topic == topic and committed.offset >= 0
        }

    async def _logs(self, numbers: Collection[int], topic_id: str) -> dict[int, Log]:
        parts = [self._part(number) for number in numbers]
        begins = await within(ANSWER, self.consumer.beginning_offsets(parts))
        ends = await within(ANSWER, self.consumer.end_offsets(parts))
        logs = {part.partition: Log(topic_id, begins[part], ends[part]) for part in parts}
        bounds = self.subscription.bounds
        return logs if bounds is None else {n: _within(bounds[n], n, logs[n]) for n in logs}

    def _comes_back(self, number: int, commit: Commit | None, topic_id: str) -> bool:
        """Say whether the partition is as we left it: then its rows in flight go on."""
        held = self.holdings.held.get(number)
        if held is None:
            return False
        words = decode(commit[1]) if commit is not None else None
        ours = isinstance(words, Metadata) and words.nonce.startswith(f"{self.committer.nonce}-")
        if held.trusted and held.topic_id == topic_id and ours and held.written is not None:
            return True
        self.holdings.drop(number)
        return False

    def _resume(self, number: int) -> None:
        held = self.holdings.held[number]
        self.consumer.seek(self._part(number), held.tracker.position)
        held.commits = held.reads = True

    async def _beginnings(
        self, new: Collection[int], commits: Mapping[int, Commit], logs: Mapping[int, Log]
    ) -> dict[int, Beginning]:
        fresh = await self._fresh(new, commits, logs)
        found = {n: beginning(commits.get(n), logs[n], fresh=fresh[n]) for n in new}
        for number, begun in found.items():
            if begun.incident is not None:
                facts = {
                    "topic": self.subscription.topic,
                    "partition": number,
                    **(begun.facts or {}),
                }
                self.incidents.note(begun.incident, **facts)
        return found

    async def _fresh(
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

    async def _published(self, beginnings: Mapping[int, Beginning]) -> Published:
        if not beginnings:
            return {}
        # Where no commit tells the time, the rows to come could have been judged at any time.
        since = min(begun.since or self.first_published for begun in beginnings.values())
        margin = int(MARGIN.total_seconds() * 1000)
        return await published_since(
            self.connection,
            self.subscription.scores,
            since=since - margin,
            topic=self.subscription.topic,
            mode=mode(self.subscription.run),
        )

    def _take(
        self, number: int, begun: Beginning, log: Log, published: Mapping[int, frozenset[str]]
    ) -> None:
        tracker = Tracker(
            begun.offset, self.holdings.epoch, begun.finished, span=self.subscription.span
        )
        held = Held(
            tracker,
            log.topic_id,
            since=begun.since or 0,
            published={at: ids for at, ids in published.items() if at >= begun.offset},
            end=log.end,
            upto=self._upto(number, log.end),
            gone=begun.gone,
        )
        held.commits = True
        self.holdings.take(number, held)
        self.subscription.behind(
            [one for at, ids in published.items() if at < begun.offset for one in ids]
        )

    def _upto(self, number: int, end: int) -> int | None:
        """Return where a bounded reading ends."""
        if self.subscription.bounds is not None:
            return self.subscription.bounds[number].end
        return end if self.subscription.end_at_end else None

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
