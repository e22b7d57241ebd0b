"""From settings to the parts of the score half, on either broker, and what both halves share."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path

import structlog
from pydantic import SecretStr

from schemas.rejection import Rejection
from schemas.trace import RagTrace
from scorers.judges.observed import Hears, nobody
from scorers.judges.pace import whole_of_it
from scorers.redaction.rows import covered
from scorers.redaction.veil import Redaction
from streams.address import Topics
from streams.assemble.dialects.known import hearing
from streams.assemble.rows import rows
from streams.assemble.whole import whole_traces
from streams.console.glance import Glance
from streams.console.lookup import Lookup
from streams.console.trying import Trial, trials
from streams.dead.redriving import Outbox
from streams.folder.glance import FolderGlance
from streams.folder.outbox import FolderOutbox
from streams.folder.recovery import Reading
from streams.folder.sink import FolderSink
from streams.folder.source import FolderSource
from streams.intake.decode import Intake
from streams.intake.encodings import SHOWS_IDS, envelope
from streams.intake.layout import RowLayout
from streams.kafka.connection import Connection, connection
from streams.kafka.edges import edges as kafka_edges
from streams.kafka.glance import glance as kafka_glance
from streams.kafka.outbox import outbox as kafka_outbox
from streams.kafka.recovery import Reading as KafkaReading
from streams.kafka.securing import security_of
from streams.kafka.sink import KafkaSink
from streams.pipeline import Scoring
from streams.ports import Clock, Record, Sink, Source
from streams.scoring.allowance import allowances
from streams.scoring.books import Books
from streams.scoring.budget import Budget
from streams.scoring.events import Scorecard
from streams.scoring.judging import Judging
from streams.scoring.panel import Seat
from streams.scoring.sampling import BodySampler, KeySampler, Sampler, Stratum
from streams.scoring.tallying import Tallying
from streams.scoring.throttle import Throttled, Unthrottled
from streams.settings.edges import KAFKA
from streams.settings.load import Settings, exported_by_environment, read_secrets
from streams.settings.otel import SIGNALS, Signal
from streams.topics import TopicPlan, plans

log = structlog.get_logger()

_ROWS = 64
"""Rows under way at one time, whatever the judge."""

_ENVELOPE = 1 << 16
"""Bytes of a line that key and headers may take; the value may be written with escapes."""


class NotServedError(Exception):
    """What was asked for is not there on this broker."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """Makes each part from the settings that it needs, and shows the settings to nobody else."""

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
        if self.settings.folder is not None:
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

    def panel(
        self,
        *,
        waits: bool = True,
        share: Callable[[], float] = whole_of_it,
        hears: Hears = nobody,
    ) -> AbstractAsyncContextManager[dict[str, Seat]]:
        """The scorers that are on, each with its judge; their connections end with the context.

        `share` is this process's part of what the group may ask in a minute; each request to a
        model is told to `hears`.
        """
        settings = self.settings
        return Judging(
            judge=settings.judge,
            scorers=settings.scorers,
            criteria=settings.criteria,
            abstentions=settings.abstentions,
            assistants=settings.assistants,
            secrets=read_secrets(),
            max_text=settings.intake.max_text,
        ).panel(waits=waits, share=share, hears=hears)

    @property
    def pass_at(self) -> Mapping[str, float]:
        """The normalized score from which a scorer's answers pass, of those that have such."""
        return self.settings.scorers.pass_at

    @property
    def asks(self) -> Mapping[str, str]:
        """What your own criteria ask of an answer."""
        return {one.name: one.question for one in self.settings.criteria}

    def covered(self, trace: RagTrace) -> RagTrace:
        """Return a row as people may read it outside its topic: as models do."""
        names = self.settings.judge.redact
        spared = frozenset(self.settings.abstentions)
        return covered(trace, Redaction(names, spared)).trace if names else trace

    @property
    def stages(self) -> tuple[str, ...]:
        """The judges that are asked, in order."""
        return self.settings.judge.stages

    def trials(self) -> AbstractAsyncContextManager[list[Trial]]:
        """The endpoints that the judge asks, each to be tried by itself."""
        return trials(self.settings.judge, read_secrets())

    @asynccontextmanager
    async def glance(self) -> AsyncIterator[Glance]:
        """Yield what looks at the topics. Raises ConnectionError where no broker answers."""
        if self.settings.folder is not None:
            yield FolderGlance(self.root)
            return
        async with kafka_glance(self.cluster) as found:
            yield found

    @property
    def topics_needed(self) -> tuple[str, ...]:
        """The topics that must be there before anything runs: a folder's others are made."""
        names = self.topics
        if self.settings.folder is not None:
            return (names.traces,)
        return (names.traces, names.scores, names.marks, names.windows, names.alerts, names.dead)

    @property
    def way_in(self) -> str:
        """What to do for want of a topic."""
        if self.settings.folder is None:
            return "streamgauge topics create makes it"
        return f"put a file of JSON rows there: {self.root / self.topics.traces / '0.jsonl'}"

    @property
    def in_flight(self) -> int:
        """Rows under way at one time: more than a judge takes, for some wait to ask again."""
        judge = self.settings.judge
        return max(_ROWS, 2 * judge.chat.in_flight, 2 * judge.decisions.in_flight)

    @property
    def sampler(self) -> Sampler:
        """How rows are drawn."""
        section, scorers = self.settings.sampling, self.settings.probabilities
        if section.by == "key":
            assistant = self.settings.intake.assistant or ""
            return KeySampler(section.salt, section.probability, assistant, scorers)
        strata = [
            Stratum(one.name, {name: frozenset(v) for name, v in one.when.items()}, one.probability)
            for one in section.strata
        ]
        return BodySampler(section.salt, section.probability, strata, scorers, self.intake.head)

    def scoring(  # noqa: PLR0913 - the edges, and what stands between them
        self,
        source: Source,
        sink: Sink,
        panel: Mapping[str, Seat],
        *,
        clock: Clock,
        worker: str,
        throttled: bool = True,
    ) -> Scoring:
        """Return the score half between a source and a sink.

        Where it is not `throttled`, neither budget nor backlog lowers what is drawn.
        """
        sampler = self.sampler
        tallying = Tallying(sampler.chances, clock)
        return Scoring(
            sampler=sampler,
            decode=self.intake.decode,
            panel=panel,
            scorecard=Scorecard(sampler.by, self.settings.scores.text),
            sink=sink,
            books=Books(tallying, source, sink, worker),
            clock=clock,
            throttle=Throttled(self.budget(began=clock()), sampler, tallying, source)
            if throttled
            else Unthrottled(),
        )

    def budget(self, *, began: datetime) -> Budget:
        """Return what limits the verdicts of this process from now on."""
        section = self.settings.judge.budget
        limits = allowances(section.calls_per_hour, section.cost_per_day, began=began)
        return Budget(began, limits)

    @asynccontextmanager
    async def edges(
        self, *, clock: Clock, end_at_end: bool = False
    ) -> AsyncIterator[tuple[Source, Sink]]:
        """Open the traces topic and what is written, on the broker that the settings name."""
        if self.settings.folder is not None:
            reading_of_folder = self.source(clock=clock, end_at_end=end_at_end)
            async with self.sink(clock=clock) as sink, reading_of_folder as source:
                yield source, sink
            return
        kafka, topics = self.settings.kafka, self.topics
        reading = KafkaReading(
            topic=topics.traces,
            group=kafka.group,
            start=kafka.start,
            scores=topics.scores,
            end_at_end=end_at_end,
        )
        opened = kafka_edges(self.cluster, reading=reading, topics=topics, clock=clock)
        async with opened as both:
            yield both

    def source(self, *, clock: Clock, end_at_end: bool = False) -> FolderSource:
        """Return the traces topic, for this group."""
        reading = Reading(
            root=self.root,
            topic=self.topics.traces,
            group=self.settings.kafka.group,
            start=self.settings.kafka.start,
            scores=self.topics.scores,
            end_at_end=end_at_end,
            max_line=2 * self.settings.intake.max_bytes + _ENVELOPE,
        )
        return FolderSource(reading, clock)

    def sink(self, *, clock: Clock) -> FolderSink:
        """Return the topics that we write."""
        group = self.settings.kafka.group
        return FolderSink(self.root, self.topics, clock, group, version("streamgauge"))

    @asynccontextmanager
    async def outbox(self) -> AsyncIterator[Outbox]:
        """Yield what writes to the traces and to the dead letters. Raises ConnectionError."""
        topics = self.topics
        if self.settings.folder is not None:
            beside = FolderOutbox(self.root)
            beside.mend(topics.dead)
            yield beside
            return
        async with kafka_outbox(self.cluster, (topics.traces, topics.dead)) as found:
            yield found

    def whose(self, record: Record) -> str | None:
        """Return the assistant of a row that need not be readable, None where it does not say."""
        head = self.intake.head(record)
        return head.assistant if isinstance(head, Rejection) else head.profile.assistant

    def kafka_sink(self) -> KafkaSink:
        """Return the topics that we write, on Kafka."""
        group = self.settings.kafka.group
        return KafkaSink(self.cluster, self.topics, group, version("streamgauge"))

    @property
    def exported(self) -> frozenset[Signal]:
        """The signals that have somewhere to go."""
        if self.settings.telemetry.otlp is not None:
            return frozenset(SIGNALS)
        return exported_by_environment()

    @property
    def notify_urls(self) -> Mapping[str, SecretStr]:
        """The addresses of the receivers of alerts, by their names in capitals."""
        return read_secrets().notify_urls

    @property
    def sink_keys(self) -> Mapping[str, SecretStr]:
        """The keys of the systems that scores are written to, by their kinds in capitals."""
        return read_secrets().sink_keys

    @asynccontextmanager
    async def lookup(self) -> AsyncIterator[Lookup]:
        """Yield what finds rows, scores and alerts again. Raises ConnectionError."""
        async with self.glance() as look:
            yield self.lookup_in(look)

    def lookup_in(self, look: Glance) -> Lookup:
        """Return what finds rows, scores and alerts again in topics that are looked at."""
        literal = self.encoding in SHOWS_IDS
        return Lookup(look, self.topics, self.intake.decode, literal=literal)
