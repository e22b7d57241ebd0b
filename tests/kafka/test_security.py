"""Every lock that a broker can have: which keys open it, and what is said where they do not."""

import asyncio
import json
import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from streams.address import EVENT_ID, Topics
from streams.kafka.connection import Connection, connection
from streams.kafka.probe import closed
from streams.kafka.securing import security_of
from streams.settings.edges import KafkaSettings
from streams.settings.secrets import secrets_in
from tests.kafka.broker import die_with_parent, ready
from tests.kafka.cluster_admin import make_all, put, read_all
from tests.kafka.command import STREAMGAUGE, settings
from tests.kafka.secured import PASSWORD, USER, Secured, secured
from tests.kafka.token_server import CLIENT, SECRET, token_server
from tests.kafka.waiting import eventually

pytestmark = pytest.mark.service

VARIABLES = {
    "STREAMGAUGE_KAFKA_PASSWORD": PASSWORD,
    "STREAMGAUGE_KAFKA_CLIENT_SECRET": SECRET,
}

SESSION_SECONDS = 3
"""What BRIEF grants."""

Keys = Mapping[str, object]


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    """Yield the broker with all the locks."""
    made = secured(tmp_path_factory.mktemp("secured"))
    try:
        made.cluster.start_all()
        asyncio.run(ready(made.cluster.address, alive=made.cluster.alive))
        yield made
    finally:
        made.cluster.stop()


def sasl(mechanism: str, *, tls: bool = False, **others: object) -> Keys:
    """Return the keys of a user with a password."""
    if tls:
        others["ca"] = "ca.pem"
    protocol = "sasl_ssl" if tls else "sasl_plaintext"
    return {"protocol": protocol, "mechanism": mechanism, "username": USER, **others}


def oauth(url: str) -> Keys:
    """Return the keys of a client with a token from there."""
    there = {"token_url": url, "client_id": CLIENT, "allow_private_addresses": True}
    return {"protocol": "sasl_plaintext", "mechanism": "OAUTHBEARER", "oauth": there}


TLS: Keys = {"protocol": "ssl", "ca": "ca.pem"}
MUTUAL: Keys = {**TLS, "certificate": "worker.pem", "certificate_key": "worker.key"}


def placed(keys: Keys, folder: Path) -> dict[str, object]:
    """Return keys whose files are found in a folder."""
    files = {"ca", "certificate", "certificate_key"} & keys.keys()
    return {**keys, **{name: str(folder / str(keys[name])) for name in files}}


def joined(
    broker: Secured, door: str, keys: Keys, variables: Mapping[str, str] = VARIABLES
) -> Connection:
    """Return our connection through a door, as the settings make it."""
    address = broker.doors.get(door, door)
    kafka = KafkaSettings.model_validate(placed(keys, broker.folder))
    security = security_of(kafka, secrets_in(variables), address)
    return connection(address, slot="0", security=security)


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


@dataclass(frozen=True, slots=True)
class Command:
    """Runs `streamgauge` as somebody who comes through a door, with these keys and variables."""

    broker: Secured
    door: str
    keys: Keys
    topics: Topics
    folder: Path
    variables: Mapping[str, str] = field(default_factory=lambda: VARIABLES)

    async def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run it to its end, while servers of this test go on serving."""
        with self.started(*words, output=subprocess.PIPE) as process:
            out, err = await asyncio.to_thread(process.communicate, timeout=60)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    @contextmanager
    def started(self, *words: str, output: int | None = None) -> "Iterator[subprocess.Popen[str]]":
        """Start it, and end it."""
        door = self.broker.doors[self.door]
        keys = json.dumps(placed(self.keys, self.broker.folder))[1:-1]
        settings(door, self.folder, self.topics, of_kafka=f", {keys}")
        process = subprocess.Popen(  # noqa: S603 - our own command
            [STREAMGAUGE, *words],
            cwd=self.folder,
            env={**os.environ, **self.variables},  # noqa: TID251 - a child's, with more
            stdout=output,
            stderr=output,
            text=True,
            preexec_fn=die_with_parent,
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def a_row(name: str) -> bytes:
    """Return a row that the rules judge can judge."""
    said = "We open at 10 am on weekdays."
    row = {"trace_id": name, "service": "helpdesk", "contexts": [said], "answer": f"{said} [1]"}
    return json.dumps(row | {"answered_at": "2026-01-01T12:00:00Z"}).encode()


async def written(broker: Secured, topic: str) -> bool:
    """Say whether a topic has anything."""
    return bool(await read_all(broker.cluster.address, topic))


async def scored(broker: Secured, topics: Topics, rows: int) -> bool:
    """Say whether so many rows have the events of both scorers."""
    events = await read_all(broker.cluster.address, topics.scores)
    return sum(EVENT_ID in dict(record.headers) for record in events) == 2 * rows


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


CLOSED: Mapping[str, tuple[str, Keys, str, str]] = {
    "a wrong password": (
        "SASL",
        sasl("SCRAM-SHA-512", username="mallory"),
        "refuses the user or the password (SCRAM-SHA-512)",
        "STREAMGAUGE_KAFKA_PASSWORD",
    ),
    "a mechanism that is not offered": (
        "OAUTH",
        sasl("SCRAM-SHA-256"),
        "does not offer SCRAM-SHA-256: it offers OAUTHBEARER",
        "kafka.mechanism",
    ),
    "an authority that is not trusted": (
        "TLS",
        {**TLS, "ca": "other-ca.pem"},
        "a certificate that is not trusted",
        "kafka.ca",
    ),
    "the system's authorities only": (
        "TLS",
        {"protocol": "ssl"},
        "a certificate that is not trusted",
        "kafka.ca",
    ),
    "no client's certificate": (
        "MUTUAL",
        TLS,
        "wants to see a client certificate",
        "kafka.certificate",
    ),
    "a stranger's certificate": (
        "MUTUAL",
        {**MUTUAL, "certificate": "stranger.pem", "certificate_key": "stranger.key"},
        "does not trust our client certificate",
        "kafka.certificate",
    ),
    "TLS on a plain port": ("PLAIN", TLS, "speaks no TLS on this port", "kafka.protocol"),
    "TLS on a SASL port": ("SASL", TLS, "speaks no TLS on this port", "kafka.protocol"),
    "no TLS on its port": ("TLS", {}, "speaks TLS on this port", "kafka.protocol: ssl"),
    "SASL without TLS on its port": (
        "SASLTLS",
        sasl("PLAIN"),
        "speaks TLS on this port",
        "sasl_ssl",
    ),
    "no SASL on its port": (
        "SASL",
        {},
        "wants SASL: it offers PLAIN, SCRAM-SHA-256, SCRAM-SHA-512",
        "kafka.protocol: sasl_plaintext",
    ),
    "no SASL in TLS": ("SASLTLS", TLS, "wants SASL", "kafka.protocol: sasl_ssl"),
    "SASL on a plain port": (
        "PLAIN",
        sasl("PLAIN"),
        "has no SASL on this port",
        "kafka.protocol: plaintext",
    ),
    "SASL on a TLS port": (
        "TLS",
        sasl("PLAIN", tls=True),
        "has no SASL on this port",
        "kafka.protocol: ssl",
    ),
    "brokers out of reach": (
        "ASTRAY",
        {},
        "sends clients on to no-such-host.invalid:9092, which cannot be reached",
        "advertised.listeners",
    ),
    "nobody there": ("127.0.0.1:9", {}, "nothing listens there", "host and port in broker"),
    "no such name": ("no-such-host.invalid:9092", {}, "no address (DNS)", "is broker right"),
}


@pytest.mark.parametrize(("door", "keys", "what", "way_out"), CLOSED.values(), ids=CLOSED)
async def test_a_closed_door_says_why_and_what_to_set(
    door: str, keys: Keys, what: str, way_out: str, broker: Secured
) -> None:
    found = await closed(joined(broker, door, keys))

    assert found is not None
    assert what in found.what
    assert way_out in found.way_out


async def test_one_server_that_lets_us_in_is_enough(broker: Secured) -> None:
    servers = f"127.0.0.1:9,{broker.doors['TLS']}"

    assert await closed(joined(broker, servers, TLS)) is None


async def test_of_several_closed_doors_the_one_is_told_that_no_waiting_opens(
    broker: Secured,
) -> None:
    servers = f"127.0.0.1:9,{broker.doors['TLS']}"

    found = await closed(joined(broker, servers, {"protocol": "ssl"}))

    assert found is not None
    assert found.lasting
    assert found.what.startswith(broker.doors["TLS"])


async def test_a_certificate_for_another_host_is_told_from_one_that_is_not_trusted(
    broker: Secured,
) -> None:
    elsewhere = broker.doors["TLS"].replace("127.0.0.1", "localhost")

    found = await closed(joined(broker, elsewhere, TLS))

    assert found is not None
    assert "not for localhost" in found.what


async def test_a_token_that_the_broker_does_not_take_is_told(broker: Secured) -> None:
    async with token_server(seconds=-60) as server:
        found = await closed(joined(broker, "OAUTH", oauth(server.url)))

    assert found is not None
    assert "does not take our token" in found.what
    assert "kafka.oauth.scope" in found.way_out


async def test_a_wrong_client_secret_is_told_from_a_token_that_is_not_taken(
    broker: Secured,
) -> None:
    async with token_server() as server:
        wrong_secret = {"STREAMGAUGE_KAFKA_CLIENT_SECRET": "wrong"}
        found = await closed(joined(broker, "OAUTH", oauth(server.url), wrong_secret))

    assert found is not None
    assert "refused the client id or its secret" in found.what
    assert "STREAMGAUGE_KAFKA_CLIENT_SECRET" in found.way_out


async def test_a_signature_for_msk_reaches_the_broker(
    broker: Secured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "example")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    keys = {"protocol": "sasl_plaintext", "mechanism": "AWS_MSK_IAM"}

    found = await closed(joined(broker, "OAUTH", keys))

    assert found is not None  # for this broker knows nothing of AWS
    assert "does not take our token" in found.what
    assert "kafka-cluster:Connect" in found.way_out


COMMANDS = {
    "SCRAM-SHA-512 in TLS": ("SASLTLS", sasl("SCRAM-SHA-512", tls=True)),
    "a client's certificate": ("MUTUAL", MUTUAL),
    "OAUTHBEARER": ("OAUTH", None),
}


@pytest.mark.parametrize(("door", "keys"), COMMANDS.values(), ids=COMMANDS)
async def test_rows_are_scored_and_watched_through_a_locked_door(
    door: str, keys: Keys | None, broker: Secured, topics: Topics, tmp_path: Path
) -> None:
    async with token_server() as server:
        command = Command(broker, door, keys or oauth(server.url), topics, tmp_path)

        made = await command.run("topics", "create")
        await put(broker.cluster.address, topics.traces, [a_row("t-1"), a_row("t-2")])
        scored = await command.run("score", "--once")
        with command.started("watch"):
            await eventually(lambda: written(broker, topics.windows))

    assert (made.returncode, scored.returncode) == (0, 0), scored.stderr
    assert PASSWORD not in scored.stderr
    assert SECRET not in scored.stderr


async def test_score_goes_on_when_the_broker_ends_its_session(
    broker: Secured, topics: Topics, tmp_path: Path
) -> None:
    await make_all(broker.cluster.address, topics)
    async with token_server(seconds=SESSION_SECONDS, said=SESSION_SECONDS) as server:
        command = Command(broker, "BRIEF", oauth(server.url), topics, tmp_path)
        with command.started("score"):
            await put(broker.cluster.address, topics.traces, [a_row("t-1")])
            await eventually(lambda: scored(broker, topics, 1))
            asked = len(server.heard)
            await eventually(lambda: len(server.heard) >= asked + 2)
            await put(broker.cluster.address, topics.traces, [a_row("t-2")])
            await eventually(lambda: scored(broker, topics, 2))


async def test_score_says_at_once_that_the_password_is_wrong_and_shows_no_secret(
    broker: Secured, topics: Topics, tmp_path: Path
) -> None:
    command = Command(
        broker,
        "SASL",
        sasl("PLAIN"),
        topics,
        tmp_path,
        {"STREAMGAUGE_KAFKA_PASSWORD": "not-the-password"},
    )
    began = time.monotonic()

    done = [await command.run(*words) for words in (["score"], ["check"], ["watch"])]

    for one in done:
        said = one.stdout + one.stderr
        assert one.returncode in {1, 3}, said
        assert "refuses the user or the password (PLAIN); set kafka.username and" in said
        assert "not-the-password" not in said
        assert "Traceback" not in said
    assert time.monotonic() - began < 45
