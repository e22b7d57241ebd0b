"""Taking partitions up: where their commits left them, and with all that was published since.

Nothing is read from a partition before a commit of our own stands beside its offset: that commit's
time is where an owner after us, should we be killed in the next moment, looks for what we publish.
"""

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from streams.address import mode
from streams.commits import Metadata, decode
from streams.kafka.committer import Committer
from streams.kafka.connection import Connection
from streams.kafka.group_offsets import Commit
from streams.kafka.held import Held, Holdings
from streams.kafka.incidents import Incidents
from streams.kafka.inquiry import Inquiry
from streams.kafka.offsets import Beginning, Log, beginning
from streams.kafka.tail import Published, published_since
from streams.subscription import Subscription
from streams.tracker import Tracker

MARGIN = timedelta(minutes=5)
"""How much the clocks of two workers, or of a broker, may differ."""


@dataclass(slots=True)
class Recovery:
    """Brings assigned partitions from `assigned` to being read. Each question has a deadline.

    `first_published`: nothing was published for the group before, in milliseconds since 1970.
    """

    connection: Connection
    subscription: Subscription
    consumer: AIOKafkaConsumer
    inquiry: Inquiry
    holdings: Holdings
    committer: Committer
    incidents: Incidents
    first_published: int = 0

    async def take_up(self, numbers: Collection[int]) -> None:
        """Take the partitions up. Raises KafkaError, OSError or TimeoutError: then try again."""
        numbers = [number for number in numbers if not self._reads(number)]  # of an earlier try
        topic_id = await self.inquiry.topic_id()
        commits = await self.inquiry.commits()
        lost = self._believe(commits, numbers, topic_id)
        logs = await self.inquiry.logs(numbers, topic_id)
        for number in numbers:
            if self._comes_back(number, commits.get(number), topic_id):
                self._resume(number, lost=number in lost)
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

    def _believe(
        self, commits: Mapping[int, Commit], numbers: Collection[int], topic_id: str
    ) -> list[int]:
        """Note that these are the last commits. Raises KafkaError where we know of later ones.

        That of any partition tells of the coordinator. Returns those whose later ones are lost.
        """
        order, now = self.committer.order, time.monotonic()
        ours = {n for n, held in self.holdings.held.items() if held.commits}  # all the while
        texts = {
            number: commits[number][1] if number in commits else None
            for number in {*numbers, *order.partitions(topic_id)} - ours
        }
        told = {n: order.weigh((topic_id, n), text, now=now) for n, text in texts.items()}
        if behind := sorted(n for n in told if told[n] == "behind"):
            raise KafkaError(f"the coordinator tells older commits of {behind} than it has taken")
        if lost := sorted(n for n in told if told[n] == "lost"):
            self.incidents.note("commits_lost", topic=self.subscription.topic, partitions=lost)
        for number, text in texts.items():
            order.note((topic_id, number), text)
        return lost

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

    def _reads(self, number: int) -> bool:
        held = self.holdings.held.get(number)
        return held is not None and held.reads

    def _resume(self, number: int, *, lost: bool = False) -> None:
        held = self.holdings.held[number]
        if lost:
            held.written = None  # it is committed once more
        self.consumer.seek(self._part(number), held.tracker.position)
        held.commits = held.reads = True

    async def _beginnings(
        self, new: Collection[int], commits: Mapping[int, Commit], logs: Mapping[int, Log]
    ) -> dict[int, Beginning]:
        fresh = await self.inquiry.fresh(new, commits, logs)
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

    async def _published(self, beginnings: Mapping[int, Beginning]) -> Published:
        if not beginnings or not await self.inquiry.has_scores():
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
