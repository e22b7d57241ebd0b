"""From settings to the broker: its topics, how their rows are read, and what looks at them."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from schemas.rejection import Rejection
from streams.address import Topics
from streams.assemble.dialects.known import hearing
from streams.assemble.rows import rows
from streams.assemble.whole import whole_traces
from streams.console.lookup import Lookup
from streams.dead.redriving import Outbox
from streams.folder.glance import FolderGlance
from streams.folder.outbox import FolderOutbox
from streams.folder.sink import FolderSink
from streams.glance import Glance
from streams.intake.decode import Intake
from streams.intake.encodings import SHOWS_IDS, envelope
from streams.intake.layout import RowLayout
from streams.kafka.connection import Connection, connection
from streams.kafka.glance import glance as kafka_glance
from streams.kafka.outbox import outbox as kafka_outbox
from streams.kafka.securing import security_of
from streams.kafka.sink import KafkaSink
from streams.ports import Clock, Record
from streams.settings.edges import KAFKA
from streams.settings.load import Settings, read_secrets
from streams.topics import TopicPlan, plans
from streams.version import VERSION


class NotServedError(Exception):
    """What was asked for is not there on this broker."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """Makes what all parts share from the settings, and shows the settings to nobody else."""

    settings: Settings

    @property
    def root(self) -> Path:
        """The folder of the folder log. Raises NotServedError on Kafka."""
        if self.settings.folder is None:
            raise NotServedError("broker: this is for the folder log only: give a folder:PATH")
        folder = self.settings.folder.expanduser()
        if folder.exists() and not folder.is_dir():
            raise NotServedError(f"broker: {folder} is a file: give a folder:PATH")
        return folder

    @property
    def on_kafka(self) -> bool:
        """Whether the topics are on Kafka, and not in a folder."""
        return self.settings.folder is None

    @property
    def broker(self) -> str:
        """Where the topics are, as the settings say it."""
        return self.settings.broker

    @property
    def topics(self) -> Topics:
        """The names of the topics."""
        return Topics(**self.settings.topics.model_dump())

    @property
    def cluster(self) -> Connection:
        """The Kafka cluster and our name on it. Raises NotServedError on the folder log."""
        if not self.on_kafka:
            raise NotServedError(
                "broker: a folder's topics are made as they are written: give kafka://HOST:PORT"
            )
        kafka, servers = self.settings.kafka, self.settings.broker.removeprefix(KAFKA)
        security = security_of(kafka, read_secrets(), servers)
        return connection(servers, slot=kafka.slot or "0", security=security)

    @property
    def copies(self) -> int:
        """Copies of each partition of our topics."""
        return self.settings.kafka.replication

    @property
    def partitions(self) -> int:
        """Partitions of the topics that we make."""
        return self.settings.kafka.partitions

    @property
    def topic_plans(self) -> list[TopicPlan]:
        """What our topics must be like."""
        return plans(self.topics, self.watch_group, self.settings.assemble.topic)

    @property
    def watch_group(self) -> str:
        """The group of the watch half on Kafka, after which its tables' topics are named."""
        return f"{self.settings.kafka.group}-watch"

    @property
    def encoding(self) -> str:
        """What the records of the traces topic are said to be."""
        return self.settings.intake.encoding

    @property
    def intake(self) -> Intake:
        """The reader of rows."""
        section = self.settings.intake
        layout = RowLayout(section.fields, section.service_and_environment)
        hear = hearing(self.settings.assemble.fields)
        of_spans = partial(rows, hear=hear, assistant=section.service_and_environment)
        spans = whole_traces(self.encoding, of_spans)
        opens = envelope(self.encoding, spans, max_bytes=section.max_bytes)
        return Intake(layout, section.max_bytes, opens)

    @asynccontextmanager
    async def glance(self) -> AsyncIterator[Glance]:
        """Yield what looks at the topics. Raises ConnectionError where no broker answers."""
        if not self.on_kafka:
            yield FolderGlance(self.root)
            return
        async with kafka_glance(self.cluster) as found:
            yield found

    @property
    def topics_needed(self) -> tuple[str, ...]:
        """The topics that must be there before anything runs: a folder's others are made."""
        names = self.topics
        if not self.on_kafka:
            return (names.traces,)
        return (names.traces, names.scores, names.marks, names.windows, names.alerts, names.dead)

    @property
    def way_in(self) -> str:
        """What to do for want of a topic."""
        if self.on_kafka:
            return "streamgauge topics create makes it"
        return f"put a file of JSON rows there: {self.root / self.topics.traces / '0.jsonl'}"

    async def refuse_missing(self, look: Glance, *topics: str) -> None:
        """Raise NotServedError where one of these is not on Kafka. A folder's are made."""
        asked = topics if self.on_kafka else ()
        if missing := [topic for topic in asked if not await look.sizes(topic)]:
            raise NotServedError(
                f"there is no topic {', '.join(missing)}: run `streamgauge topics create`"
            )

    def folder_sink(self, *, clock: Clock) -> FolderSink:
        """Return the topics that we write. Raises NotServedError on Kafka."""
        return FolderSink(self.root, self.topics, clock, self.settings.kafka.group, VERSION)

    @asynccontextmanager
    async def outbox(self) -> AsyncIterator[Outbox]:
        """Yield what writes to the traces and to the dead letters. Raises ConnectionError."""
        topics = self.topics
        if not self.on_kafka:
            beside = FolderOutbox(self.root)
            beside.mend(topics.dead)
            yield beside
            return
        async with kafka_outbox(self.cluster, (topics.traces, topics.dead)) as found:
            yield found

    @property
    def whose(self) -> Callable[[Record], str | None]:
        """What reads the assistant of a row, readable or not; None where it does not say."""
        intake = self.intake  # made once: whole topics are read with it

        def assistant(record: Record) -> str | None:
            head = intake.head(record)
            return head.assistant if isinstance(head, Rejection) else head.profile.assistant

        return assistant

    def kafka_sink(self) -> KafkaSink:
        """Return the topics that we write. Raises NotServedError on the folder log."""
        return KafkaSink(self.cluster, self.topics, self.settings.kafka.group, VERSION)

    @asynccontextmanager
    async def lookup(self) -> AsyncIterator[Lookup]:
        """Yield what finds rows, scores and alerts again. Raises ConnectionError."""
        async with self.glance() as look:
            yield self.lookup_in(look)

    def lookup_in(self, look: Glance) -> Lookup:
        """Return what finds rows, scores and alerts again in topics that are looked at."""
        literal = self.encoding in SHOWS_IDS
        return Lookup(look, self.topics, self.intake.decode, literal=literal)
