"""From settings to the parts of the stage that makes rows of spans, on either broker."""

from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from streams.assemble.closing import ClosingLimits
from streams.assemble.dialects.known import hearing
from streams.assemble.keeping import keeping
from streams.assemble.keyed import KeyCheck
from streams.assemble.letters import RowLetters, traces_of
from streams.assemble.open_traces import OpenTraces
from streams.assemble.otlp import Keep, SpanReader, span_reader
from streams.assemble.rows import rows
from streams.assemble.splitting import Splitting, splitter
from streams.assemble.stage import Assembling, Post
from streams.assemble.times import ProcessingTime, RecordTime
from streams.folder.sink import FolderSink
from streams.folder.source import FolderSource
from streams.kafka.edges import edges as kafka_edges
from streams.kafka.unread import left_behind
from streams.ports import Clock, Source
from streams.scoring.sampling import BASE
from streams.subscription import Subscription, unheard
from streams.topics import SPANS_BY_TRACE
from streams.tracker import SPAN
from streams.version import VERSION
from streams.wiring.broker import Wiring

KAFKA_SPAN = 8 * SPAN
"""How far a partition is read on while a trace is waited for: 2,000 records a second for 30 s."""


@dataclass(frozen=True, slots=True)
class AssembleWiring:
    """Makes the parts of the stage. `once`: it reads to the end of the topics, by their times."""

    wiring: Wiring
    once: bool
    clock: Clock

    @property
    def splits(self) -> bool:
        """Whether records are to be cut up first. In a folder one process reads everything."""
        return self.wiring.on_kafka and not self.wiring.settings.assemble.by_trace

    async def left_parts(self) -> bool:
        """Say whether an earlier life cut up records of which not all is rows yet.

        Nobody would come back to these while no record that mixes traces comes in.
        """
        if not self.wiring.on_kafka:
            return False
        cluster = self.wiring.cluster
        return await left_behind(cluster, group=self.group_of_parts, topic=SPANS_BY_TRACE)

    @property
    def topic(self) -> str:
        """Where the spans come in."""
        return self.wiring.settings.assemble.topic

    @property
    def group(self) -> str:
        """The group that reads the spans as they come in."""
        return f"{self.wiring.settings.kafka.group}-assemble"

    @property
    def group_of_parts(self) -> str:
        """The group that reads them where they were cut up by trace."""
        return f"{self.group}-spans"

    @property
    def keep(self) -> Keep:
        """Which traces scoring might draw."""
        section = self.wiring.settings.sampling
        strata = {BASE: section.probability, **{s.name: s.probability for s in section.strata}}
        return keeping(section.salt, strata, self.wiring.settings.probabilities)

    @property
    def read(self) -> SpanReader:
        """How records are read. Raises ExtraMissingError."""
        return span_reader(self.wiring.settings.assemble.encoding)

    @asynccontextmanager
    async def assembling(self, *, split: bool = False) -> AsyncIterator[Assembling]:
        """Yield the stage that makes rows: of what comes in, or of what was `split` by trace."""
        settings = self.wiring.settings
        topic = SPANS_BY_TRACE if split else self.topic
        group = self.group_of_parts if split else self.group
        to, own = self.wiring.topics.traces, settings.intake.service_and_environment
        traces = OpenTraces(self.limits)

        def behind(row_ids: Collection[str]) -> None:
            traces.decide(traces_of(row_ids))

        async with self._edges(topic, group, behind) as (source, post):
            strict = self.wiring.on_kafka and source.partitions > 1
            yield Assembling(
                source=source,
                post=post,
                read=self.read,
                keyed=KeyCheck(self.keep, strict),
                traces=traces,
                letters=RowLetters(
                    partial(rows, hear=hearing(settings.assemble.fields), assistant=own), to
                ),
                time=RecordTime() if self.once else ProcessingTime(),
                clock=self.clock,
                ends=self.once,
            )

    @asynccontextmanager
    async def splitting(self) -> AsyncIterator[tuple[Splitting, Source]]:
        """Yield what cuts up records that mix traces, and what it reads."""
        section = self.wiring.settings.assemble
        async with self._edges(self.topic, self.group) as (source, post):
            split, to = splitter(section.encoding), SPANS_BY_TRACE
            yield Splitting(source, post, self.read, split, self.keep, to, self.clock), source

    @property
    def limits(self) -> ClosingLimits:
        """When traces are closed."""
        section = self.wiring.settings.assemble
        return ClosingLimits(
            quiet_after_root=_ms(section.quiet_after_root),
            max_wait=_ms(section.max_wait),
            max_traces=section.max_traces,
            max_bytes=section.max_buffer_bytes,
            hold=self._span * 3 // 4,
        )

    @property
    def _span(self) -> int:
        return KAFKA_SPAN if self.wiring.on_kafka else SPAN

    @asynccontextmanager
    async def _edges(
        self, topic: str, group: str, behind: Callable[[Collection[str]], None] = unheard
    ) -> AsyncIterator[tuple[Source, Post]]:
        """Open a topic of spans, and what is written. Rows written before are found by `scores`."""
        topics, start = self.wiring.topics, self.wiring.settings.kafka.start
        if topic == SPANS_BY_TRACE:
            start = "earliest"  # what was cut up by then is to be had
        subscription = Subscription(
            topic=topic,
            group=group,
            start=start,
            scores=topics.traces,
            end_at_end=self.once,
            span=self._span,
            behind=behind,
        )
        if self.wiring.on_kafka:
            opened = kafka_edges(
                self.wiring.cluster,
                subscription=subscription,
                topics=topics,
                clock=self.clock,
                more=(topics.traces, SPANS_BY_TRACE),
            )
            async with opened as both:
                yield both
            return
        sink = FolderSink(self.wiring.root, topics, self.clock, group, VERSION)
        async with sink, FolderSource(self.wiring.root, subscription, self.clock) as source:
            sink.claim(topics.traces)
            yield source, sink


def _ms(duration: timedelta) -> int:
    return duration // timedelta(milliseconds=1)
