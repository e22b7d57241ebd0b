"""The watch half on Kafka: a Faust app that hosts the fold, and the only import of faust.

One agent over scores and marks; two plain tables with changelogs. A table's values carry the offset
that they have applied, for after a restart Faust reads again what it had read.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import faust
from faust.types import TP
from faust.types.auth import CredentialsT

from streams.ports import Record, Sink
from streams.security import PLAIN, Security
from streams.topics import PANES, STATE
from streams.watch import durable
from streams.watch.durable import Change, changes, durable_tables
from streams.watch.fold import Watch
from streams.watch.gaps import Gaps
from streams.watch.partitions import Watches


class Group(NamedTuple):
    """Who the app is, and what it reads. All `topics` have as many `partitions`."""

    name: str
    servers: str
    client_id: str
    topics: tuple[str, str]
    partitions: int
    security: Security = PLAIN


class Hosting(NamedTuple):
    """The app that runs, and its tables."""

    app: Any
    panes: Any
    state: Any


@dataclass(frozen=True, slots=True)
class HostedFold:
    """The fold, with what a host does around each record.

    `hear` is told of each. `failed` is given what is raised, and nothing is read after it: Faust
    itself would pass the record over and go on. In a rebalance it passes rows over, too, and
    commits behind them: so offsets are watched, and what is missing is asked for again (`gaps`).
    """

    watches: Watches
    sink: Sink
    hear: Callable[[Record], None]
    failed: "asyncio.Future[None]"
    gaps: Gaps = field(default_factory=Gaps)

    async def take(self, record: Record, at: Hosting) -> None:
        """Fold a record, publish what it says, then write what it changed."""
        self.hear(record)
        try:
            if not at.app.rebalancing:  # else whoever has the partition then reads it again
                await self._fold(record, at)
        except Exception as error:
            self.failed.set_exception(error)
            await asyncio.Event().wait()

    async def _fold(self, record: Record, at: Hosting) -> None:
        partition, folds = record.partition, self.watches.partitions
        if partition not in folds:
            known = durable_tables(partition, _items(at.panes), _items(at.state))
            folds[partition] = Watch(self.watches.options, known)
            await self._ask(partition, folds[partition].applied + 1, at)
        watch = folds[partition]
        if not await self._in_order(record, watch, at):
            return
        if news := self.watches.fold(record):
            await self.sink.publish(news)
        if folds.get(partition) is not watch:  # taken away meanwhile: another writes there
            return
        _write(at.panes, changes(partition, watch.tables, durable.PANES))
        if changed := changes(partition, watch.tables, durable.STATE):
            # Two changelogs are acknowledged in any order, and the state says how far the panes
            # are: were it there without them, a later life would evaluate them half empty.
            await at.app.producer.flush()
            if folds.get(partition) is watch:
                _write(at.state, changed)

    async def _in_order(self, record: Record, watch: Watch, at: Hosting) -> bool:
        """Say whether a record has its turn. Where rows are missing, ask for them."""
        if record.topic != self.watches.scores:
            return True
        due, now = watch.applied + 1, asyncio.get_running_loop().time()
        step = self.gaps.step(record.partition, record.offset, due=due, now=now)
        if step == "ask":
            await self._ask(record.partition, due, at)
        return step == "take"

    async def _ask(self, partition: int, due: int, at: Hosting) -> None:
        """Have the scores of a partition read from the one that is due, or where the log begins."""
        part, consumer = TP(self.watches.scores, partition), at.app.consumer
        first = (await consumer.earliest_offsets(part))[part]
        now = asyncio.get_running_loop().time()
        self.gaps.asked(partition, due=due, first=first, now=now)
        await consumer.seek(part, max(due, first))

    async def insist(self, at: Hosting) -> None:
        """Ask anew for what was asked for and did not come: no later row may come to tell."""
        now = asyncio.get_running_loop().time()
        for partition, due in self.gaps.unanswered(now):
            end = at.app.consumer.highwater(TP(self.watches.scores, partition))
            if end is not None and end <= due:
                self.gaps.filled(partition)
            else:
                await self._ask(partition, due, at)

    async def forget(self, *_: Any, **__: Any) -> None:
        """Forget every partition: the tables know what each new owner needs."""
        self.watches.partitions.clear()
        self.gaps.forget()


def watch_app(group: Group, fold: HostedFold) -> faust.App:
    """Return the app. It is not started, and serves nothing over HTTP."""
    app = faust.App(
        group.name,
        broker=[f"kafka://{server}" for server in group.servers.split(",")],
        broker_client_id=group.client_id,
        broker_credentials=credentials(group.security),
        broker_session_timeout=10.0,
        broker_heartbeat_interval=1.0,
        broker_rebalance_timeout=60.0,
        consumer_auto_offset_reset="earliest",
        topic_partitions=group.partitions,
        topic_allow_declare=False,
        topic_disable_leader=True,
        stream_wait_empty=False,
        store="memory://",
        web_enabled=False,
    )
    raw: dict[str, Any] = {"key_type": bytes, "value_type": bytes}  # the serializer is `raw` then
    tables = (app.Table(n, partitions=group.partitions, **raw) for n in (PANES, STATE))
    hosting = Hosting(app, *tables)
    app.on_partitions_revoked.connect(fold.forget)

    @app.agent(app.topic(*group.topics, **raw), concurrency=1)
    async def watch(stream: Any) -> None:
        async for event in stream.events():
            await fold.take(_record(event.message), hosting)

    async def insist() -> None:
        if not app.rebalancing:
            await fold.insist(hosting)

    app.timer(interval=1.0)(insist)

    return app


def credentials(security: Security) -> CredentialsT | None:
    """Return what Faust's clients prove themselves by: the same as ours."""
    tls = security.tls
    if security.mechanism is None:
        return None if tls is None else faust.SSLCredentials(tls)
    if security.tokens is not None:
        provider: Any = security.tokens
        return faust.OAuthCredentials(oauth_cb=provider, ssl_context=tls)
    return faust.SASLCredentials(
        username=security.username,
        password=security.password,
        ssl_context=tls,
        mechanism=security.mechanism,
    )


def _record(message: Any) -> Record:
    return Record(
        topic=message.topic,
        partition=message.partition,
        offset=message.offset,
        key=message.key,
        value=message.value,
        timestamp=int(message.timestamp * 1000),
    )


def _items(table: Any) -> list[Change]:
    return [Change(key, value) for key, value in table.items()]


def _write(table: Any, changed: list[Change]) -> None:
    for key, value in changed:
        if value is not None:
            table[key] = value
        elif key in table:
            del table[key]
