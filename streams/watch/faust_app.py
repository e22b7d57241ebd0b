"""The watch half on Kafka: a Faust app that hosts the fold, and the only import of faust.

One agent over scores and marks; two plain tables with changelogs. A table's values carry the offset
that they have applied, for after a restart Faust reads again what it had read.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import faust
from faust.types.auth import CredentialsT

from streams.ports import Record, Sink
from streams.security import PLAIN, Security
from streams.topics import PANES, STATE
from streams.watch import durable
from streams.watch.durable import Change, changes, durable_tables
from streams.watch.fold import Watch
from streams.watch.partitions import Watches


class Group(NamedTuple):
    """Who the app is, and what it reads. All `topics` have as many `partitions`."""

    name: str
    servers: str
    client_id: str
    topics: tuple[str, str]
    partitions: int
    security: Security = PLAIN


@dataclass(frozen=True, slots=True)
class HostedFold:
    """The fold, with what a host does around each record.

    `hear` is told of each. `failed` is given what is raised, and nothing is read after it: Faust
    itself would pass the record over and go on.
    """

    watches: Watches
    sink: Sink
    hear: Callable[[Record], None]
    failed: "asyncio.Future[None]"

    async def take(self, record: Record, panes: Any, state: Any) -> None:
        """Fold a record, publish what it says, then write what it changed."""
        self.hear(record)
        try:
            await self._fold(record, panes, state)
        except Exception as error:
            self.failed.set_exception(error)
            await asyncio.Event().wait()

    async def _fold(self, record: Record, panes: Any, state: Any) -> None:
        partition, folds = record.partition, self.watches.partitions
        if partition not in folds:
            known = durable_tables(partition, _items(panes), _items(state))
            folds[partition] = Watch(self.watches.options, known)
        watch = folds[partition]
        if news := self.watches.fold(record):
            await self.sink.publish(news)
        if folds.get(partition) is not watch:  # taken away meanwhile: another writes there
            return
        _write(panes, changes(partition, watch.tables, durable.PANES))
        if changed := changes(partition, watch.tables, durable.STATE):
            # Two changelogs are acknowledged in any order, and the state says how far the panes
            # are: were it there without them, a later life would evaluate them half empty.
            await panes.app.producer.flush()
            if folds.get(partition) is watch:
                _write(state, changed)

    async def forget(self, *_: Any, **__: Any) -> None:
        """Forget every partition: the tables know what each new owner needs."""
        self.watches.partitions.clear()


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
    panes, state = (app.Table(n, partitions=group.partitions, **raw) for n in (PANES, STATE))
    app.on_partitions_revoked.connect(fold.forget)

    @app.agent(app.topic(*group.topics, **raw), concurrency=1)
    async def watch(stream: Any) -> None:
        async for event in stream.events():
            await fold.take(_record(event.message), panes, state)

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
