"""What of Kafka's security is refused before anything connects, and where that is said."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import trustme

from streams.settings.edges import KafkaSettings
from streams.settings.kafka_security import security_problems
from streams.settings.secrets import Secrets, secrets_in

PASSWORD = secrets_in({"STREAMGAUGE_KAFKA_PASSWORD": "s3cret"})
CLIENT_SECRET = secrets_in({"STREAMGAUGE_KAFKA_CLIENT_SECRET": "s3cret"})
NOTHING = Secrets()

Keys = Mapping[str, object]

USER: Keys = {"protocol": "sasl_ssl", "mechanism": "SCRAM-SHA-512", "username": "alice"}
BEARER: Keys = {
    "protocol": "sasl_ssl",
    "mechanism": "OAUTHBEARER",
    "oauth": {"token_url": "https://id.example/token", "client_id": "streamgauge"},
}


def problems(keys: Keys, in_use: Secrets | None = None) -> dict[str, str]:
    """Return what is said of each path."""
    return dict(security_problems(KafkaSettings.model_validate(keys), in_use=in_use))


PAIRS: Mapping[str, tuple[Keys, str, str]] = {
    "a mechanism in plain Kafka": (
        {"mechanism": "PLAIN", "username": "a"},
        "mechanism",
        "sasl_ssl",
    ),
    "a mechanism in TLS alone": (
        {"protocol": "ssl", "mechanism": "PLAIN", "username": "a"},
        "mechanism",
        "sasl_ssl",
    ),
    "SASL without a mechanism": ({"protocol": "sasl_ssl"}, "mechanism", "set it"),
    "a password for nobody": ({**USER, "username": None}, "username", "set it"),
    "a user that nobody asks for": ({"username": "alice"}, "username", "only PLAIN and SCRAM"),
    "a user with a token": ({**BEARER, "username": "alice"}, "username", "only PLAIN and SCRAM"),
    "tokens that nobody asks for": (
        {**USER, "oauth": {"client_id": "a"}},
        "oauth",
        "only OAUTHBEARER",
    ),
    "tokens from nowhere": (
        {**BEARER, "oauth": {"client_id": "a"}},
        "oauth.token_url",
        "OAUTHBEARER needs it",
    ),
    "tokens for nobody": (
        {**BEARER, "oauth": {"token_url": "https://id.example/token"}},
        "oauth.client_id",
        "OAUTHBEARER needs it",
    ),
    "signatures for all to read": (
        {"protocol": "sasl_plaintext", "mechanism": "AWS_MSK_IAM"},
        "protocol",
        "sasl_ssl",
    ),
    "an authority without TLS": ({"ca": "ca.pem"}, "ca", "only TLS reads it"),
    "a certificate without a key": (
        {"protocol": "ssl", "certificate": "a.pem"},
        "certificate_key",
        "incomplete",
    ),
    "a key without a certificate": (
        {"protocol": "ssl", "certificate_key": "a.key"},
        "certificate",
        "incomplete",
    ),
}


@pytest.mark.parametrize(("keys", "path", "says"), PAIRS.values(), ids=PAIRS)
def test_what_cannot_be_had_together_is_refused(keys: Keys, path: str, says: str) -> None:
    assert says in problems(keys)[f"kafka.{path}"]


@pytest.mark.parametrize("keys", [{}, {"protocol": "ssl"}, USER, BEARER])
def test_what_can_be_had_together_is_not(keys: Keys) -> None:
    assert problems(keys) == {}


def test_a_secret_is_missed_where_kafka_is_used_and_nowhere_else() -> None:
    assert "STREAMGAUGE_KAFKA_PASSWORD" in problems(USER, NOTHING)
    assert "STREAMGAUGE_KAFKA_CLIENT_SECRET" in problems(BEARER, NOTHING)
    assert problems(USER, PASSWORD) == problems(BEARER, CLIENT_SECRET) == {}
    assert problems(USER) == problems(BEARER) == {}


def test_amazons_signer_is_missed_before_anything_connects(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {"protocol": "sasl_ssl", "mechanism": "AWS_MSK_IAM"}
    assert problems(keys, NOTHING) == {}
    monkeypatch.setitem(sys.modules, "aws_msk_iam_sasl_signer", None)

    assert "install streamgauge[msk]" in problems(keys, NOTHING)["kafka.mechanism"]


@pytest.fixture
def pair(tmp_path: Path) -> dict[str, object]:
    """Return settings with a certificate and its key."""
    made = trustme.CA().issue_cert("worker")
    made.private_key_pem.write_to_path(tmp_path / "worker.key")
    made.cert_chain_pems[0].write_to_path(tmp_path / "worker.pem")
    return {
        "protocol": "ssl",
        "certificate": str(tmp_path / "worker.pem"),
        "certificate_key": str(tmp_path / "worker.key"),
    }


def test_a_certificate_with_its_key_is_taken(pair: dict[str, object]) -> None:
    assert problems(pair, NOTHING) == {}


@pytest.mark.parametrize("key", ["ca", "certificate", "certificate_key"])
def test_a_file_that_is_not_there_is_named_by_its_key(key: str, pair: dict[str, object]) -> None:
    said = problems({**pair, key: "/nowhere/file.pem"}, NOTHING)

    assert said == {f"kafka.{key}": "cannot be read: No such file or directory"}


def test_a_file_of_authorities_without_any_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_text("nothing of the kind")

    said = problems({"protocol": "ssl", "ca": str(file)}, NOTHING)

    assert "PEM" in said["kafka.ca"]


def test_a_key_of_another_certificate_is_refused(pair: dict[str, object], tmp_path: Path) -> None:
    other = trustme.CA().issue_cert("worker")
    other.private_key_pem.write_to_path(tmp_path / "other.key")

    said = problems({**pair, "certificate_key": str(tmp_path / "other.key")}, NOTHING)

    assert "does not belong" in said["kafka.certificate_key"]


LOCKED = """-----BEGIN RSA PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-128-CBC,00000000000000000000000000000000

AAAA
-----END RSA PRIVATE KEY-----
"""


def test_a_key_with_a_passphrase_is_refused_and_nobody_is_asked_for_it(
    pair: dict[str, object], tmp_path: Path
) -> None:
    locked = tmp_path / "locked.key"
    locked.write_text(LOCKED)

    said = problems({**pair, "certificate_key": str(locked)}, NOTHING)

    assert "passphrase" in said["kafka.certificate_key"]
