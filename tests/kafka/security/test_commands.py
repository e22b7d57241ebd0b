"""The commands on a broker with locks: rows come through, and no secret is shown."""

import json
import time
from pathlib import Path

import pytest

from streams.address import EVENT_ID, Topics
from tests.kafka.cluster_admin import make_all, put, read_all
from tests.kafka.security.keys import MUTUAL, Command, Keys, oauth, sasl
from tests.kafka.security.secured import PASSWORD, Secured
from tests.kafka.token_server import SECRET, token_server
from tests.kafka.waiting import eventually

pytestmark = pytest.mark.service


SESSION_SECONDS = 3
"""What BRIEF grants."""


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
