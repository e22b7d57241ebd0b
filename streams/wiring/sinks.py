"""From settings to the parts of what writes scores to other systems, beside the scoring."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from streams.folder.source import FolderSource
from streams.kafka.source import KafkaSource
from streams.ports import Clock, Source
from streams.settings.load import read_secrets
from streams.settings.problems import Problem, SettingsError
from streams.sinks.delivery import Delivery
from streams.sinks.making import deliveries, without_key
from streams.subscription import Subscription
from streams.telemetry.meters import Meters
from streams.telemetry.metrics import Metric
from streams.wiring.broker import Wiring


@dataclass(frozen=True, slots=True)
class SinkWiring:
    """Makes the sinks, each a follower of the scores topic with a group of its own."""

    wiring: Wiring

    @property
    def keyless(self) -> list[Problem]:
        """Sinks that cannot be spoken to for want of a key."""
        return without_key(self.wiring.settings.sinks, read_secrets().sink_keys)

    @asynccontextmanager
    async def deliveries(self, meters: Meters, *, clock: Clock) -> AsyncIterator[list[Delivery]]:
        """Yield what delivers to each sink, counted. Raises SettingsError for want of a key."""
        sinks, keys = self.wiring.settings.sinks, read_secrets().sink_keys
        if problems := self.keyless:
            raise SettingsError(problems)

        def sent(sink: str, outcome: str) -> None:
            meters.add(Metric.SENT, 1, {"sink": sink, "outcome": outcome})

        section = self.wiring.settings.telemetry
        async with deliveries(sinks, keys, section, clock=clock, sent=sent) as made:
            yield made

    def source(
        self, sink: str, *, clock: Clock, end_at_end: bool
    ) -> AbstractAsyncContextManager[Source]:
        """Return the scores topic, for that sink's group."""
        wiring, scores = self.wiring, self.wiring.topics.scores
        group = f"{wiring.settings.kafka.group}-{sink}"
        subscription = Subscription(topic=scores, group=group, scores=scores, end_at_end=end_at_end)
        if wiring.on_kafka:
            return KafkaSource(wiring.cluster, subscription, clock)
        return FolderSource(wiring.root, subscription, clock)
