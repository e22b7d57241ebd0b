"""How we speak to a cluster: every client is made here, set up as our promises need it."""

import os
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor

from streams.security import PLAIN, Security

REQUEST_TIMEOUT = timedelta(seconds=15)
SEND_TIMEOUT = timedelta(seconds=10)
"""How long a row may wait for its acknowledgement: longer than the election of a leader takes."""
MAX_REQUEST_BYTES = 1_048_576


@dataclass(frozen=True, slots=True)
class Worker:
    """Who we are in a group: a process of a host, in a slot. Two workers of a host differ in it.

    Its client id is how a later life finds and removes what this one left in the group.
    """

    host: str
    slot: str
    pid: int

    @property
    def client_id(self) -> str:
        """The name as brokers see it."""
        return f"streamgauge.{self.host}.{self.slot}.{self.pid}"


@dataclass(frozen=True, slots=True)
class Connection:
    """A cluster and our name on it. `servers` as `host:port,host:port`."""

    servers: str
    worker: Worker
    security: Security = PLAIN
    session_timeout: timedelta = timedelta(seconds=10)
    metadata_max_age: timedelta = timedelta(seconds=60)

    def member(self, group: str) -> AIOKafkaConsumer:
        """Return a consumer that takes part in a group. It yields raw bytes: nothing can raise."""
        return AIOKafkaConsumer(
            **self._settings(),
            group_id=group,
            enable_auto_commit=False,
            auto_offset_reset="none",
            isolation_level="read_committed",
            max_partition_fetch_bytes=512 * 1024,
            fetch_max_bytes=8 * 1024 * 1024,
            session_timeout_ms=_ms(self.session_timeout),
            heartbeat_interval_ms=min(1000, _ms(self.session_timeout) // 3),
            rebalance_timeout_ms=60_000,
            max_poll_interval_ms=300_000,
            partition_assignment_strategy=(RoundRobinPartitionAssignor,),
        )

    def assigned(self, group: str) -> AIOKafkaConsumer:
        """Return a consumer that is told its partitions, and commits for a group without members.

        It asks for less at a time than a member of the live group, whose brokers it shares.
        """
        return AIOKafkaConsumer(
            **self._settings(),
            group_id=group,
            enable_auto_commit=False,
            auto_offset_reset="none",
            isolation_level="read_committed",
            max_partition_fetch_bytes=512 * 1024,
            fetch_max_bytes=1024 * 1024,
        )

    def reader(self, *, wait: timedelta = timedelta(milliseconds=500)) -> AIOKafkaConsumer:
        """Return a consumer outside any group: it reads and looks up, and commits nothing.

        `wait`: how long a broker keeps a question to which it has nothing new to say.
        """
        return AIOKafkaConsumer(
            **self._settings(),
            fetch_max_wait_ms=_ms(wait),
            group_id=None,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            isolation_level="read_committed",
        )

    def producer(self, *, max_batch_bytes: int) -> AIOKafkaProducer:
        """Return an idempotent producer whose batches stay below a topic's limit."""
        settings = self._settings() | {"request_timeout_ms": _ms(SEND_TIMEOUT)}
        return AIOKafkaProducer(
            **settings,
            acks="all",
            enable_idempotence=True,
            linger_ms=10,
            max_batch_size=min(max_batch_bytes, 128 * 1024),
            max_request_size=MAX_REQUEST_BYTES,
        )

    def admin(self) -> AIOKafkaAdminClient:
        """Return a client for questions about groups and topics."""
        return AIOKafkaAdminClient(**self._settings())

    def _settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = {
            "bootstrap_servers": self.servers,
            "client_id": self.worker.client_id,
            "request_timeout_ms": _ms(REQUEST_TIMEOUT),
            "metadata_max_age_ms": _ms(self.metadata_max_age),
        }
        return settings | proof_of(self.security)


def proof_of(security: Security) -> dict[str, Any]:
    """Return how a client of aiokafka is told to prove itself. It holds the password."""
    proof: dict[str, Any] = {"security_protocol": security.protocol, "ssl_context": security.tls}
    if security.mechanism is not None:
        proof |= {
            "sasl_mechanism": security.mechanism,
            "sasl_plain_username": security.username,
            "sasl_plain_password": security.password,
            "sasl_oauth_token_provider": security.tokens,
        }
    return proof


def _ms(duration: timedelta) -> int:
    return int(duration.total_seconds() * 1000)


def connection(servers: str, *, slot: str, security: Security = PLAIN) -> Connection:
    """Return the connection of this process. Workers of one host differ in `slot`."""
    return Connection(servers, Worker(os.uname().nodename, slot, os.getpid()), security)
