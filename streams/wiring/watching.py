"""From settings to the parts of the watch half, on either broker."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import structlog

from schemas.alert import Alert
from schemas.pane import Pane
from streams.console.backtest import Storage
from streams.console.lookup import Lookup, messages
from streams.console.stored import Stored
from streams.console.stored_run import StoredRun
from streams.folder.follower import Follower, follow
from streams.folder.interleaving import Interleaving
from streams.kafka.first_rows import first_rows
from streams.kafka.hosting import Host
from streams.kafka.lease import Lease
from streams.kafka.sink import KafkaSink
from streams.kafka.topics import partition_count
from streams.labels.calibrating import accuracies, outdated
from streams.labels.files import CalibrationError, read_calibration
from streams.links import first_links
from streams.notify.making import links_of
from streams.pipeline import Watching
from streams.ports import Record, Sink
from streams.settings.problems import Problem, SettingsError
from streams.told import ToldOnce
from streams.version import VERSION
from streams.watch.alerts.withdrawal import standing
from streams.watch.estimates.correction import Accuracy
from streams.watch.faust_app import Group, watch_app
from streams.watch.hosted import HostedFold
from streams.watch.options import Options
from streams.watch.partitions import Watches
from streams.wiring.broker import Wiring

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class WatchWiring:
    """Makes the parts of the watch half."""

    wiring: Wiring

    @property
    def window(self) -> timedelta:
        """The first of the windows that figures are shown over."""
        return self.wiring.settings.watch.windows[0]

    def follower(self, *, end_at_end: bool = False) -> Follower:
        """Return what the watch half reads."""
        watched = (self.wiring.topics.scores, self.wiring.topics.marks)
        return follow(
            self.wiring.root, watched, end_at_end=end_at_end, allowed=Interleaving(*watched)
        )

    def watching(self, source: Follower, sink: Sink, *, ticks: bool = True) -> Watching:
        """Return the watch half. What earlier lives published is not published again.

        Without `ticks` the real clock plays no part: only what the topics say happens.
        """
        told = ToldOnce(sink)
        alerts = list(messages(self.wiring.root, self.wiring.topics.alerts, Alert))
        told.remember(alerts)
        told.remember(messages(self.wiring.root, self.wiring.topics.windows, Pane))
        watches = self.watches(partitions=1, unresolved=standing(alerts))
        return Watching(watches, told, source.caught_up if ticks else lambda: False)

    @property
    def rule_names(self) -> list[str]:
        """The names of the alert rules."""
        return [rule.name for rule in self.wiring.settings.alerts]

    def options(self, partitions: int) -> Options:
        """Return what the fold of one of so many partitions is told."""
        section = self.wiring.settings.watch
        return Options(
            rules=self.wiring.settings.alerts,
            segments=section.segments,
            lateness=section.lateness,
            max_panes=max(1, section.max_panes // partitions),
            links=first_links([links_of(one) for one in self.wiring.settings.notify]),
            accuracies=self._accuracies(),
        )

    def _accuracies(self) -> dict[str, Accuracy]:
        """Return what people's labels said of the judges. Raises SettingsError."""
        file = self.wiring.settings.watch.calibration
        if file is None:
            return {}
        try:
            made = read_calibration(Path(file))
        except CalibrationError as error:
            raise SettingsError([Problem("watch.calibration", str(error))]) from error
        pass_at = self.wiring.settings.scorers.pass_at
        for one in outdated(made, pass_at):
            line = pass_at.get(one.scorer.name)
            at = {"series": one.series, "pass_at": line, "calibrated_at": one.pass_at}
            log.warning("calibration_of_another_line", scorer=one.scorer.name, **at)
        return accuracies(made, pass_at)

    def watches(self, *, partitions: int, unresolved: Sequence[Alert] = ()) -> Watches:
        """Return the folds of a topic with so many partitions: each has its share of the panes.

        `unresolved` are the alerts of an earlier life that left no other trace.
        """
        options = replace(self.options(partitions), standing=tuple(unresolved))
        return Watches(options, self.wiring.topics.scores, _unreadable)

    @asynccontextmanager
    async def stored(self, run: str | None) -> AsyncIterator[tuple[Storage, Lookup]]:
        """Yield what reads scores and marks from their start, and finds single ones again.

        `run` is the replay to read in place of live traffic. Raises ConnectionError, NoRoomError.
        """
        names, lateness = self.wiring.topics, self.wiring.settings.watch.lateness
        async with self.wiring.glance() as look:
            lookup = self.wiring.lookup_in(look)
            if run is None:
                yield Stored(look, names, lateness, _unreadable), lookup
                return
            with StoredRun(run, _unreadable) as stored:
                await stored.take_in(look, names.scores)
                yield stored, lookup

    @asynccontextmanager
    async def watch_host(self) -> AsyncIterator[tuple[Host, Watches]]:
        """Yield what runs the watch half on Kafka, with its folds."""
        names, cluster, group = self.wiring.topics, self.wiring.cluster, self.wiring.watch_group
        partitions = await partition_count(cluster, self.wiring.topic_plans, names.scores)
        watches = self.watches(partitions=partitions)
        sink = KafkaSink(cluster, names, group, VERSION)
        failed = asyncio.get_running_loop().create_future()
        async with sink, first_rows(cluster) as rows:
            topics = (names.scores, names.marks)
            ours, proof = cluster.worker.client_id, cluster.security
            session = cluster.session_timeout.total_seconds()
            lease = Lease(session, time.monotonic())
            who = Group(group, cluster.servers, ours, topics, partitions, session, proof)
            fold = HostedFold(
                watches,
                names.marks,
                sink,
                failed,
                lambda: lease.runs(time.monotonic()),
                rows.behind,
            )
            yield Host(watch_app(who, fold), fold, lease, cluster, group, sink), watches


def _unreadable(record: Record, fault: str) -> None:
    at = {"topic": record.topic, "partition": record.partition, "offset": record.offset}
    log.warning("unreadable_message", **at, fault=fault)
