"""The watch half on Kafka: a Faust app that hosts the fold, and the only import of faust.

One agent over scores and marks; two plain tables with changelogs, whose values carry the offsets
that they have applied. What Faust delivers and commits is not relied on: see `hosted`.
"""

from collections.abc import Collection
from pathlib import Path
from tempfile import gettempdir
from typing import Any, NamedTuple

import faust
from faust.types import TP
from faust.types.auth import CredentialsT

from streams.ports import Record
from streams.security import PLAIN, Security
from streams.topics import PANES, STATE
from streams.watch.changelog import Changelog
from streams.watch.gaps import Part
from streams.watch.hosted import HostedFold, WatchApp


class _Delivered(dict[TP, int | None]):
    """Faust's memory of how far it has delivered, which forgets our topics.

    By it Faust drops, without a word, what is read again while later rows are under way; and it
    takes a hole for a transaction's marker, and commits behind it.
    """

    def __init__(self, forgotten: Collection[str]) -> None:
        super().__init__()
        self._forgotten = forgotten

    def __getitem__(self, part: TP) -> int | None:
        """Return how far a partition was delivered; None where that is not known."""
        return None if part.topic in self._forgotten else self.get(part)


class Group(NamedTuple):
    """Who the app is, and what it reads. All `topics` have as many `partitions`.

    `session`: seconds after which a member that is silent is given up.
    """

    name: str
    servers: str
    client_id: str
    topics: tuple[str, str]
    partitions: int
    session: float
    security: Security = PLAIN


def watch_app(group: Group, fold: HostedFold) -> WatchApp:
    """Return the app with its tables. It is not started, and serves nothing over HTTP."""
    app = faust.App(
        group.name,
        broker=[f"kafka://{server}" for server in group.servers.split(",")],
        broker_client_id=group.client_id,
        broker_credentials=credentials(group.security),
        broker_session_timeout=group.session,
        broker_heartbeat_interval=1.0,
        broker_rebalance_timeout=60.0,
        consumer_auto_offset_reset="earliest",
        topic_partitions=group.partitions,
        topic_allow_declare=False,
        topic_disable_leader=True,
        stream_wait_empty=False,
        store="memory://",
        datadir=Path(gettempdir()) / group.name,  # made, and left empty
        web_enabled=False,
    )
    raw: dict[str, Any] = {"key_type": bytes, "value_type": bytes}  # the serializer is `raw` then
    panes, state = (app.Table(n, partitions=group.partitions, **raw) for n in (PANES, STATE))
    consumer: Any = app.consumer
    consumer._read_offset = _Delivered(group.topics)

    def passes(part: Part, to: int) -> None:
        consumer._committed_offset[TP(*part)] = to

    def committed(part: Part) -> int | None:
        offset: int | None = consumer._committed_offset.get(TP(*part))
        return offset

    def changelog(table: Any, partition: int) -> Changelog:
        tables: Any = app.tables
        last = tables.recovery.active_highwaters[TP(table.changelog_topic_name, partition)]
        return Changelog(table, partition, last + 1)

    made = WatchApp(app, panes, state, passes, committed, changelog)
    app.on_partitions_revoked.connect(fold.forget)

    @app.agent(app.topic(*group.topics, **raw), concurrency=1)
    async def watch(stream: Any) -> None:
        async for event in stream.events():
            await fold.take(_record(event.message), made)

    return made


def member(app: Any) -> Any:
    """Return the consumer that is a member of the group, once the app is started."""
    return app.consumer._thread._consumer


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
