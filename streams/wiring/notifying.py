"""From settings to what tells receivers of alerts, on either broker."""

from collections.abc import AsyncIterator, Callable, Container
from contextlib import asynccontextmanager
from dataclasses import dataclass

from streams.folder.follower import Follower, follow
from streams.kafka.follower import KafkaFollower
from streams.kafka.hosting import Host
from streams.notify.making import address_problems, receivers
from streams.notify.notifier import Notifier
from streams.ports import Clock, Sink
from streams.settings.load import read_secrets
from streams.settings.problems import Problem, SettingsError
from streams.wiring.broker import Wiring


@dataclass(frozen=True, slots=True)
class NotifyWiring:
    """Makes what notifies beside a watch half. Raises SettingsError where something is `untold`."""

    wiring: Wiring

    @property
    def untold(self) -> list[Problem]:
        """What keeps alerts from where they shall go."""
        return address_problems(self.wiring.settings.notify, read_secrets().notify_urls)

    @asynccontextmanager
    async def of_folder(self, sink: Sink, *, clock: Clock) -> AsyncIterator[Notifier]:
        """Yield what tells receivers of the alerts in the folder; nobody, where none are set."""
        follower = follow(self.wiring.root, (self.wiring.topics.alerts,))
        async with self._notifier(follower, sink, lambda: _EVERY, clock) as made:
            yield made

    @asynccontextmanager
    async def of_host(self, host: Host, *, clock: Clock) -> AsyncIterator[Notifier]:
        """Yield what tells receivers of the alerts of the partitions that the host has."""
        async with (
            KafkaFollower(self.wiring.cluster, self.wiring.topics.alerts) as follower,
            self._notifier(follower, host.sink, host.partitions, clock) as made,
        ):
            yield made

    @asynccontextmanager
    async def _notifier(
        self,
        follower: Follower | KafkaFollower,
        sink: Sink,
        ours: Callable[[], Container[int]],
        clock: Clock,
    ) -> AsyncIterator[Notifier]:
        sections, urls = self.wiring.settings.notify, read_secrets().notify_urls
        if problems := self.untold:
            raise SettingsError(problems)
        async with receivers(sections, urls) as told:
            yield Notifier(follower, told, sink, ours, clock)


_EVERY = range(1_000_000)
"""All partitions that a topic of a folder can have."""
