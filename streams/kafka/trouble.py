"""Why a broker does not let us in, in words for whoever can mend it. Pure.

Nothing that the other side said is repeated, but for the mechanisms that it offers.
"""

import socket
import ssl
from collections.abc import Collection
from dataclasses import dataclass

from streams.security import Security

_TLS_PORT = "kafka.protocol: ssl, or sasl_ssl if it wants SASL too"
_PAIR = "kafka.certificate and kafka.certificate_key"


@dataclass(frozen=True, slots=True)
class Trouble:
    """What happened, and the way out. `lasting`: no waiting helps, something has to be set."""

    what: str
    way_out: str
    lasting: bool = True

    def __str__(self) -> str:
        return f"{self.what}; {self.way_out}"


SILENT = Trouble(
    "does not answer", "is it up, and do the network's rules let us through?", lasting=False
)
SPEAKS_TLS = Trouble("speaks TLS on this port", f"set {_TLS_PORT}")
SPEAKS_NO_TLS = Trouble(
    "speaks no TLS on this port",
    "take the port of its TLS listener, or set kafka.protocol: plaintext (sasl_plaintext)",
)
NO_KAFKA = Trouble(
    "answers, but not as a Kafka broker does",
    f"is it the port of a listener? For TLS set {_TLS_PORT}",
)
BROKE_OFF = Trouble(
    "breaks the connection off", "look into its log, and at what lies between", lasting=False
)


def unreached(error: OSError, host: str) -> Trouble:
    """Say why there is no connection at all."""
    if isinstance(error, socket.gaierror):
        return Trouble(
            f"cannot be found: the name {host} has no address (DNS)",
            "is broker right, and can this machine look names up?",
            lasting=False,
        )
    if isinstance(error, ConnectionRefusedError):
        return Trouble(
            "refuses the connection: nothing listens there",
            "start it, or correct host and port in broker",
            lasting=False,
        )
    return SILENT


_NAMES = frozenset({62, 63, 64})
"""OpenSSL's numbers for a certificate of another host, e-mail or IP address."""

_EXPIRED, _NOT_YET = 10, 9


def untrusted(error: ssl.SSLCertVerificationError, host: str) -> Trouble:
    """Say why a broker's certificate is not taken."""
    if error.verify_code in _NAMES:
        return Trouble(
            f"has a certificate that is not for {host} (TLS)",
            "write the name in broker that its certificate is for",
        )
    if error.verify_code in {_EXPIRED, _NOT_YET}:
        return Trouble(
            f"has a certificate out of its time (TLS): {error.verify_message}",
            "have it renewed, or set this machine's clock right",
        )
    return Trouble(
        f"has a certificate that is not trusted (TLS): {error.verify_message}",
        "set kafka.ca to a file with the authority that signed it",
    )


_WANTED = ("CERTIFICATE_REQUIRED", "HANDSHAKE_FAILURE")
_REFUSED = ("CERTIFICATE", "UNKNOWN_CA", "ACCESS_DENIED")


def alerted(error: ssl.SSLError) -> Trouble | None:
    """Say what a broker has against our certificate, None where that is not it."""
    reason = error.reason or ""
    if "ALERT" not in reason:
        return None
    if any(word in reason for word in _WANTED):
        return Trouble("wants to see a client certificate (TLS)", f"set {_PAIR}")
    if any(word in reason for word in _REFUSED):
        return Trouble(
            "does not trust our client certificate (TLS)",
            f"set {_PAIR} to a pair that an authority of its truststore has signed",
        )
    return None


def mismatched(offered: Collection[str], security: Security) -> Trouble | None:
    """Say what is wrong with asking for our mechanism, given those on offer (none: no SASL)."""
    listed, ours = ", ".join(sorted(offered)), security.mechanism
    if ours is None and offered:
        protocol = f"sasl_{security.protocol.lower()}"
        return Trouble(
            f"wants SASL: it offers {listed}",
            f"set kafka.protocol: {protocol}, and kafka.mechanism",
        )
    if ours is not None and not offered:
        protocol = security.protocol.removeprefix("SASL_").lower()
        return Trouble(
            "has no SASL on this port",
            f"take the port of its SASL listener, or set kafka.protocol: {protocol}",
        )
    if ours is not None and ours not in offered:
        return Trouble(
            f"does not offer {ours}: it offers {listed}", "set kafka.mechanism to one of these"
        )
    return None


def refused(security: Security) -> Trouble:
    """Say that it knows us not, or that what we proved ourselves by is wrong."""
    if security.tokens is not None:
        return Trouble("does not take our token", security.tokens.way_out)
    return Trouble(
        f"refuses the user or the password ({security.mechanism})",
        "set kafka.username and STREAMGAUGE_KAFKA_PASSWORD right",
    )


def led_astray(servers: Collection[str]) -> Trouble:
    """Say that its brokers lie where we cannot go."""
    return Trouble(
        f"sends clients on to {', '.join(servers)}, which cannot be reached from here",
        "set advertised.listeners of the brokers to addresses that can",
    )
