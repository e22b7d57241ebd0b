"""Tokens by client credentials (RFC 6749, 4.4): an id and a secret are sent for one."""

import base64
import json
from dataclasses import dataclass, field
from urllib.parse import quote_plus

from scorers.judges.http import CallFailedError, HttpClient, Reply
from streams.kafka.tokens import Token, TokenError

SECONDS = 10.0
"""How long the endpoint may take."""

UNTOLD_SECONDS = 60.0
"""How long a token is taken to live whose life is not told."""

WAY_OUT = "look at kafka.oauth.client_id, kafka.oauth.scope and STREAMGAUGE_KAFKA_CLIENT_SECRET"


@dataclass(frozen=True, slots=True)
class ClientCredentials:
    """Who asks where. `ca` is a file of authorities that are trusted beside the public ones."""

    url: str
    client_id: str
    secret: str = field(repr=False)
    scope: str | None = None
    ca: str | None = None
    allow_private: bool = False

    async def fetch(self) -> Token:
        """Return a new token. Raises TokenError."""
        client = HttpClient(
            timeout_seconds=SECONDS, allow_private=self.allow_private, also_trusted=self.ca
        )
        try:
            form = {"grant_type": "client_credentials"}
            form |= {} if self.scope is None else {"scope": self.scope}
            reply = await client.post_form(self.url, form, headers=self._headers())
        except CallFailedError as error:
            raise _failed(error.cause) from error
        finally:
            await client.close()
        return _token(reply)

    def _headers(self) -> dict[str, str]:
        """Return both as every such endpoint must take them (RFC 6749, 2.3.1)."""
        pair = f"{quote_plus(self.client_id)}:{quote_plus(self.secret)}"
        basic = base64.b64encode(pair.encode()).decode()
        return {"authorization": f"Basic {basic}", "accept": "application/json"}


def _token(reply: Reply) -> Token:
    try:
        said = json.loads(reply.body)
        value, seconds = said["access_token"], float(said.get("expires_in") or UNTOLD_SECONDS)
    except (ValueError, TypeError, KeyError, AttributeError):
        value, seconds = None, 0.0
    if not isinstance(value, str) or not value.isprintable() or not seconds > 0:
        raise TokenError(
            "the token endpoint sent no token",
            "is kafka.oauth.token_url the address of an OAuth 2 token endpoint?",
        )
    return Token(value, seconds)


_FAILED = {
    "private_address": (
        "the token endpoint lies in a private network, and was not connected to",
        "if that is meant, set kafka.oauth.allow_private_addresses: true",
    ),
    "http_400": ("the token endpoint refused the request", WAY_OUT),
    "http_401": ("the token endpoint refused the client id or its secret", WAY_OUT),
    "http_403": ("the token endpoint gives this client no token", WAY_OUT),
    "http_404": ("there is no token endpoint at that address", "correct kafka.oauth.token_url"),
}


def _failed(cause: str) -> TokenError:
    if cause in _FAILED:
        return TokenError(*_FAILED[cause])
    return TokenError(
        f"the token endpoint gave no token: {cause}",
        "look whether it is up, and at kafka.oauth.token_url",
        lasting=False,
    )
