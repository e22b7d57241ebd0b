"""What Faust's clients are told: the same as ours."""

import ssl

import faust
import pytest
from faust.transport.drivers.aiokafka import credentials_to_aiokafka_auth

from streams.kafka.connection import proof_of
from streams.kafka.tokens import KeptTokens, Token
from streams.security import PLAIN, Security
from streams.watch.faust_app import credentials

TLS = ssl.create_default_context()


async def _fetch() -> Token:
    return Token("t", 600)


TOKENS = KeptTokens(_fetch, "")

SECURITIES = {
    "nothing": PLAIN,
    "TLS": Security(tls=TLS),
    "PLAIN": Security("PLAIN", "alice", "s3cret"),
    "SCRAM in TLS": Security("SCRAM-SHA-512", "alice", "s3cret", tls=TLS),
    "tokens": Security("OAUTHBEARER", tokens=TOKENS),
    "tokens in TLS": Security("OAUTHBEARER", tokens=TOKENS, tls=TLS),
}


@pytest.mark.parametrize("security", SECURITIES.values(), ids=SECURITIES)
def test_faust_proves_itself_as_our_own_clients_do(security: Security) -> None:
    theirs = credentials_to_aiokafka_auth(credentials(security))

    ours = {name: value for name, value in proof_of(security).items() if value is not None}
    assert {name: value for name, value in theirs.items() if value is not None} == ours


def test_what_proves_us_is_not_shown() -> None:
    security = SECURITIES["SCRAM in TLS"]

    assert "s3cret" not in repr(security)
    assert isinstance(credentials(security), faust.SASLCredentials)
    assert "s3cret" not in repr(credentials(security))
