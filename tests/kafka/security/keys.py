"""Keys to the doors of a secured broker, and what comes through them: a client, a command."""

import asyncio
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from streams.address import Topics
from streams.kafka.connection import Connection, connection
from streams.kafka.securing import security_of
from streams.settings.edges import KafkaSettings
from streams.settings.secrets import secrets_in
from tests.command import STREAMGAUGE
from tests.kafka.broker import die_with_parent
from tests.kafka.command import settings
from tests.kafka.security.secured import PASSWORD, USER, Secured
from tests.kafka.token_server import CLIENT, SECRET

VARIABLES = {
    "STREAMGAUGE_KAFKA_PASSWORD": PASSWORD,
    "STREAMGAUGE_KAFKA_CLIENT_SECRET": SECRET,
}

Keys = Mapping[str, object]


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
