"""What is said where the keys do not open a broker's lock: why, and what to set."""

from collections.abc import Mapping

import pytest

from streams.kafka.probe import closed
from tests.kafka.security.keys import MUTUAL, TLS, Keys, joined, oauth, sasl
from tests.kafka.security.secured import Secured
from tests.kafka.token_server import token_server

pytestmark = pytest.mark.service


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
