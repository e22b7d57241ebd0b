"""Every lock that a broker can have, and the keys that open it."""

import pytest

from streams.address import Topics
from streams.kafka.connection import Connection
from streams.kafka.probe import closed
from tests.kafka.cluster_admin import make_all
from tests.kafka.security.keys import MUTUAL, TLS, Keys, joined, oauth, sasl
from tests.kafka.security.secured import Secured
from tests.kafka.token_server import token_server
from tests.kafka.waiting import eventually

pytestmark = pytest.mark.service


OPENED = {
    "TLS": ("TLS", TLS),
    "TLS with a client's certificate": ("MUTUAL", MUTUAL),
    "PLAIN": ("SASL", sasl("PLAIN")),
    "PLAIN in TLS": ("SASLTLS", sasl("PLAIN", tls=True)),
    "SCRAM-SHA-256": ("SASL", sasl("SCRAM-SHA-256")),
    "SCRAM-SHA-256 in TLS": ("SASLTLS", sasl("SCRAM-SHA-256", tls=True)),
    "SCRAM-SHA-512": ("SASL", sasl("SCRAM-SHA-512")),
    "SCRAM-SHA-512 in TLS": ("SASLTLS", sasl("SCRAM-SHA-512", tls=True)),
}


async def every_client_works(link: Connection, topic: str) -> None:
    """Read, write, ask and take part in a group."""
    admin, producer, member = link.admin(), link.producer(max_batch_bytes=1024), link.member(topic)
    await admin.start()
    await producer.start()
    await member.start()
    try:
        assert topic in await admin.list_topics()
        sent = await producer.send_and_wait(topic, b"through the door")
        member.subscribe([topic])
        await eventually(lambda: bool(member.assignment()))
        [part] = member.assignment()
        member.seek(part, sent.offset)
        assert (await member.getone()).value == b"through the door"
    finally:
        await member.stop()
        await producer.stop()
        await admin.close()


@pytest.mark.parametrize(("door", "keys"), OPENED.values(), ids=OPENED)
async def test_the_right_keys_let_every_client_in(
    door: str, keys: Keys, broker: Secured, topics: Topics
) -> None:
    await make_all(broker.cluster.address, topics)
    link = joined(broker, door, keys)

    assert await closed(link) is None
    await every_client_works(link, topics.scores)


async def test_a_token_lets_every_client_in_and_is_asked_for_once(
    broker: Secured, topics: Topics
) -> None:
    await make_all(broker.cluster.address, topics)
    async with token_server() as server:
        link = joined(broker, "OAUTH", oauth(server.url))

        assert await closed(link) is None
        await every_client_works(link, topics.scores)

        assert len(server.heard) == 1


async def test_one_server_that_lets_us_in_is_enough(broker: Secured) -> None:
    servers = f"127.0.0.1:9,{broker.doors['TLS']}"

    assert await closed(joined(broker, servers, TLS)) is None
