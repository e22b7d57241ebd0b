"""From settings to what writes scores to other systems, beside the scoring."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

import structlog

from streams.console.reporting import beside
from streams.folder.source import FolderSource
from streams.kafka.source import KafkaSource
from streams.pace import beats
from streams.pipeline import run
from streams.ports import Clock, Source
from streams.settings.load import read_secrets
from streams.settings.problems import SettingsError
from streams.sinks.delivery import Delivery
from streams.sinks.making import deliveries, without_key
from streams.sinks.sending import Sending
from streams.subscription import Subscription
from streams.telemetry.meters import Meters
from streams.telemetry.names import Metric
from streams.wiring.broker import Wiring

UNDER_WAY = 256
"""Scores that are sent, or wait for their span to arrive, at one time."""

TO_THE_END = timedelta(seconds=40)
"""How long a run that ends waits for sinks: what is left they get the next time."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class SinkWiring:
    """Makes the sinks, each a follower of the scores topic with a group of its own."""

    wiring: Wiring

    @asynccontextmanager
    async def sending(self, meters: Meters, *, clock: Clock, once: bool) -> AsyncIterator[None]:
        """Send while the context lasts; with `once`, after it and to the end of the topic.

        Raises SettingsError where a key is missing.
        """
        sinks, keys = self.wiring.settings.sinks, read_secrets().sink_keys
        if problems := without_key(sinks, keys):
            raise SettingsError(problems)

        def sent(sink: str, outcome: str) -> None:
            meters.add(Metric.SENT, 1, {"sink": sink, "outcome": outcome})

        section = self.wiring.settings.telemetry
        async with deliveries(sinks, keys, section, clock=clock, sent=sent) as made:
            if not once:
                async with beside(self._send(made, clock)):
                    yield
                return
            yield
            try:
                async with asyncio.timeout(TO_THE_END.total_seconds()):
                    await self._send(made, clock, end_at_end=True)
            except TimeoutError:
                log.warning("sinks_left_behind", way_out="the next run goes on where they are")

    async def _send(self, made: list[Delivery], clock: Clock, *, end_at_end: bool = False) -> None:
        async with asyncio.TaskGroup() as tasks:
            for delivery in made:
                tasks.create_task(self._send_to(delivery, clock, end_at_end))

    async def _send_to(self, delivery: Delivery, clock: Clock, end_at_end: bool) -> None:
        async with self._source(delivery.name, clock, end_at_end) as source:
            half = Sending(source, delivery)
            await run(source, half, beats=beats(), clock=clock, in_flight=UNDER_WAY)

    def _source(
        self, sink: str, clock: Clock, end_at_end: bool
    ) -> AbstractAsyncContextManager[Source]:
        """Return the scores topic, for that sink's group."""
        wiring, scores = self.wiring, self.wiring.topics.scores
        group = f"{wiring.settings.kafka.group}-{sink}"
        subscription = Subscription(topic=scores, group=group, scores=scores, end_at_end=end_at_end)
        if wiring.on_kafka:
            return KafkaSource(wiring.cluster, subscription, clock)
        return FolderSource(wiring.root, subscription, clock)
