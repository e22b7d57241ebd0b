"""Trying the door before any client does: for aiokafka every locked one is "Unable to bootstrap".

First a connection is made as clients make theirs. Only if that fails, plain questions find out why:
is there a host, does it speak TLS, whom does it trust, which mechanisms does it offer.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import structlog
from aiokafka.conn import AIOKafkaConnection, collect_hosts, create_conn
from aiokafka.errors import KafkaError, SaslAuthenticationFailed
from aiokafka.protocol.metadata import MetadataRequest

from streams.kafka import trouble
from streams.kafka.connection import Connection, proof_of
from streams.kafka.deadlines import SHORTLY
from streams.kafka.offered import PATIENCE, offered
from streams.kafka.tokens import TokenError
from streams.kafka.trouble import Trouble
from streams.security import Security

log = structlog.get_logger()


@asynccontextmanager
async def reaching(connection: Connection) -> AsyncIterator[None]:
    """Hold what connects to a cluster for the first time.

    Raises ConnectionError, which says why no broker lets us in and what to set: at once where no
    waiting helps, else when what is held has given up.
    """
    found = await closed(connection)
    if found is not None:
        if found.lasting:
            raise ConnectionError(f"Kafka at {found}")
        log.warning("no_broker_yet", why=str(found))
    try:
        yield
    except (KafkaError, OSError) as error:
        found = await closed(connection)
        if found is None and not isinstance(error, KafkaError):
            raise
        why = f" at {connection.servers} ({error})" if found is None else f": {found}"
        raise ConnectionError(f"no Kafka answers{why}") from error


async def closed(connection: Connection) -> Trouble | None:
    """Return why none of the servers lets us in, None if one does."""
    first: Trouble | None = None
    for host, port, _ in collect_hosts(connection.servers):
        found = await _shut(host, port, connection)
        if found is None:
            return None
        found = Trouble(f"{host}:{port} {found.what}", found.way_out, lasting=found.lasting)
        if first is None or (found.lasting and not first.lasting):
            first = found
    return first


async def _shut(host: str, port: int, connection: Connection) -> Trouble | None:
    security = connection.security
    try:
        brokers = await _brokers(host, port, connection)
    except SaslAuthenticationFailed:
        return trouble.refused(security)
    except TokenError as error:
        return Trouble(f"is not asked: {error.what}", error.way_out, lasting=error.lasting)
    except (KafkaError, OSError):
        return await _why(host, port, security)
    if not brokers:  # so it answers whoever sent a token that it does not take
        return trouble.refused(security)
    if (host, port) in brokers or any([await _open(*broker) for broker in brokers]):
        return None
    return trouble.led_astray([f"{name}:{number}" for name, number in brokers])


async def _brokers(host: str, port: int, connection: Connection) -> Sequence[tuple[str, int]]:
    """Return the cluster's brokers as it names them to one that it knows."""
    conn: AIOKafkaConnection = await create_conn(
        host,
        port,
        client_id=connection.worker.client_id,
        request_timeout_ms=int(PATIENCE.total_seconds() * 1000),
        **proof_of(connection.security),
    )
    try:
        answer = await conn.send(MetadataRequest([]))
    finally:
        await _closed(conn)
    return [(name, number) for _, name, number, *_ in answer.brokers]


async def _closed(conn: AIOKafkaConnection) -> None:
    """Close a connection. TLS takes its leave with an answer, for which we wait a moment."""
    if (gone := conn.close()) is not None:
        await asyncio.wait({gone}, timeout=SHORTLY.total_seconds())


async def _open(host: str, port: int) -> bool:
    """Say whether anything listens there."""
    try:
        async with asyncio.timeout(PATIENCE.total_seconds()):
            _, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    writer.transport.abort()
    return True


async def _why(host: str, port: int, security: Security) -> Trouble:
    """Find out at which step it fails."""
    try:
        found = await offered(host, port, security)
    except ssl.SSLCertVerificationError as error:
        return trouble.untrusted(error, host)
    except ssl.SSLError as error:
        return trouble.alerted(error) or await _without_tls(host, port, security)
    except (ConnectionResetError, ConnectionAbortedError, EOFError):
        return await _without_tls(host, port, security)
    except OSError as error:
        return trouble.unreached(error, host)
    if isinstance(found, Trouble):
        return found
    return trouble.mismatched(found, security) or trouble.BROKE_OFF


async def _without_tls(host: str, port: int, security: Security) -> Trouble:
    """Say what a connection that broke means: in TLS it may be that nobody speaks it there."""
    if security.tls is None:
        return trouble.NO_KAFKA
    try:
        await offered(host, port, Security(security.mechanism))
    except (OSError, EOFError):
        return trouble.BROKE_OFF
    return trouble.SPEAKS_NO_TLS
