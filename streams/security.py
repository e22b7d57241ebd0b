"""How we prove to brokers who we are: one value, from which every client is set up."""

import ssl
from dataclasses import dataclass, field
from typing import Protocol


class Tokens(Protocol):
    """Where bearer tokens are had. `way_out` says what to look at when a broker takes none."""

    @property
    def way_out(self) -> str:
        """What to set, or whom to ask."""
        ...

    async def token(self) -> str:
        """Return a token that is valid for now. Raises OSError."""
        ...


@dataclass(frozen=True, slots=True)
class Security:
    """How connections are made safe. Without anything: plain, and nobody in particular.

    `mechanism` is SASL's as brokers are asked for it. It comes with `username` and `password`, or
    with `tokens`.
    """

    mechanism: str | None = None
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    tokens: Tokens | None = None
    tls: ssl.SSLContext | None = None

    @property
    def protocol(self) -> str:
        """The protocol as Kafka names it."""
        transport = "PLAINTEXT" if self.tls is None else "SSL"
        return transport if self.mechanism is None else f"SASL_{transport}"


PLAIN = Security()
"""A connection that anybody can read, and that says nothing of who we are."""
