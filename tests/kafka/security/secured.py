"""A broker with every kind of lock on its doors, and the keys to them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import trustme
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from tests.kafka.broker import Cluster, WayIn
from tests.kafka.proxy import free_port

USER, PASSWORD = "alice", "correct-horse"
AUTHORITY = "ca.pem"
"""Who signed for the broker, in the broker's folder."""

_DOORS = {
    "TLS": "SSL",
    "MUTUAL": "SSL",
    "SASL": "SASL_PLAINTEXT",
    "SASLTLS": "SASL_SSL",
    "OAUTH": "SASL_PLAINTEXT",
    "BRIEF": "SASL_PLAINTEXT",
    "ASTRAY": "PLAINTEXT",
}
_NOWHERE = "no-such-host.invalid:9092"
_MODULES = "org.apache.kafka.common.security"
_PLAIN = f'{_MODULES}.plain.PlainLoginModule required user_{USER}="{PASSWORD}";'
_SCRAM = f"{_MODULES}.scram.ScramLoginModule required;"
_OAUTH = (
    f"{_MODULES}.oauthbearer.OAuthBearerLoginModule required "
    'unsecuredLoginStringClaim_sub="broker";'
)


@dataclass(frozen=True, slots=True)
class Secured:
    """The broker, and where its doors are by their names.

    PLAIN, TLS, SASL, SASLTLS and OAUTH say what they are. MUTUAL is TLS and wants to see a client's
    certificate; BRIEF is OAUTH and throws clients out after some seconds; ASTRAY sends them on to
    where nothing is. `folder` has ca.pem, and worker.pem with worker.key for MUTUAL; other-ca.pem
    and stranger.pem open nothing.
    """

    cluster: Cluster
    folder: Path
    doors: Mapping[str, str]


def secured(folder: Path) -> Secured:
    """Return the broker, not started yet."""
    _certificates(folder)
    doors = {name: free_port() for name in _DOORS}
    ways_in = [
        WayIn(name, doors[name], protocol, _NOWHERE if name == "ASTRAY" else "")
        for name, protocol in _DOORS.items()
    ]
    users = [
        f"SCRAM-SHA-{bits}=[name={USER},password={PASSWORD},iterations=4096]" for bits in (256, 512)
    ]
    cluster = Cluster(folder, settings=_settings(folder), ways_in=ways_in, users=users)
    at = {name: f"127.0.0.1:{port}" for name, port in doors.items()}
    return Secured(cluster, folder, {"PLAIN": cluster.address, **at})


def _certificates(folder: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / AUTHORITY)
    broker = authority.issue_cert("127.0.0.1")
    (folder / "broker.pem").write_bytes(
        _pkcs8(broker.private_key_pem.bytes()) + b"".join(c.bytes() for c in broker.cert_chain_pems)
    )
    worker = authority.issue_cert("worker")
    worker.private_key_pem.write_to_path(folder / "worker.key")
    worker.cert_chain_pems[0].write_to_path(folder / "worker.pem")
    other = trustme.CA()
    other.cert_pem.write_to_path(folder / "other-ca.pem")
    stranger = other.issue_cert("worker")
    stranger.private_key_pem.write_to_path(folder / "stranger.key")
    stranger.cert_chain_pems[0].write_to_path(folder / "stranger.pem")


def _pkcs8(key: bytes) -> bytes:
    """Return a key in the one form that brokers read."""
    loaded = load_pem_private_key(key, None)
    return loaded.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _settings(folder: Path) -> dict[str, str]:
    settings = {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(folder / "broker.pem"),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(folder / AUTHORITY),
        "listener.name.mutual.ssl.client.auth": "required",
        "listener.name.brief.oauthbearer.connections.max.reauth.ms": "3000",
    }
    for door in ("sasl", "sasltls"):
        named = f"listener.name.{door}"
        settings[f"{named}.sasl.enabled.mechanisms"] = "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512"
        settings[f"{named}.plain.sasl.jaas.config"] = _PLAIN
        settings[f"{named}.scram-sha-256.sasl.jaas.config"] = _SCRAM
        settings[f"{named}.scram-sha-512.sasl.jaas.config"] = _SCRAM
    for door in ("oauth", "brief"):
        named = f"listener.name.{door}"
        settings[f"{named}.sasl.enabled.mechanisms"] = "OAUTHBEARER"
        settings[f"{named}.oauthbearer.sasl.jaas.config"] = _OAUTH
    return settings
