"""Tokens for brokers: asked for once, renewed in time, and what is said where there is none."""

import asyncio
import base64
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import trustme

from streams.kafka.msk import Signing, region_of
from streams.kafka.oauth import ClientCredentials
from streams.kafka.tokens import KeptTokens, Token, TokenError
from tests.judge_server import JudgeServer, reply
from tests.kafka.token_server import CLIENT, SECRET, token_server


class Endpoint:
    """Gives the tokens of a list in turn, and raises the errors among them."""

    def __init__(self, *turns: Token | TokenError) -> None:
        self._turns: Sequence[Token | TokenError] = turns
        self.asked = 0

    async def fetch(self) -> Token:
        turn = self._turns[self.asked]
        self.asked += 1
        await asyncio.sleep(0)
        if isinstance(turn, TokenError):
            raise turn
        return turn


DOWN = TokenError("it is down", "start it", lasting=False)


@dataclass
class Stopwatch:
    """Shows the seconds that a test sets."""

    seconds: float = 0

    def __call__(self) -> float:
        return self.seconds


async def test_many_connections_share_one_token() -> None:
    endpoint = Endpoint(Token("first", 600))
    tokens = KeptTokens(endpoint.fetch, "")

    found = await asyncio.gather(*(tokens.token() for _ in range(5)))

    assert set(found) == {"first"}
    assert endpoint.asked == 1


async def test_a_token_is_used_for_most_of_its_life_and_then_renewed() -> None:
    watch = Stopwatch()
    endpoint = Endpoint(Token("first", 100), Token("second", 100))
    tokens = KeptTokens(endpoint.fetch, "", watch)

    found = []
    for watch.seconds in (0, 79, 80, 159):
        found.append(await tokens.token())

    assert found == ["first", "first", "second", "second"]


async def test_while_no_new_token_is_to_be_had_the_old_one_is_used_to_its_end() -> None:
    watch = Stopwatch()
    endpoint = Endpoint(Token("first", 100), DOWN, DOWN, DOWN)
    tokens = KeptTokens(endpoint.fetch, "", watch)

    for watch.seconds in (0, 80, 99):
        assert await tokens.token() == "first"
    watch.seconds = 100
    with pytest.raises(TokenError, match="it is down; start it"):
        await tokens.token()


def credentials(server: JudgeServer, **changes: object) -> ClientCredentials:
    settings: dict[str, object] = {"secret": SECRET, "allow_private": True} | changes
    return ClientCredentials(f"{server.url}/token", CLIENT, **settings)  # type: ignore[arg-type]


async def test_client_credentials_and_a_scope_are_exchanged_for_a_token() -> None:
    async with token_server(scope="kafka", said=300) as server:
        token = await credentials(server, scope="kafka").fetch()

    assert token.value.count(".") == 2
    assert token.seconds == 300
    assert token.value not in repr(token)


async def test_an_id_with_odd_characters_is_written_as_the_standard_says() -> None:
    async with JudgeServer(lambda heard: reply('{"access_token": "t"}')) as server:
        await ClientCredentials(server.url, "a:b c", "p%w", allow_private=True).fetch()

    sent = server.heard[0].headers["authorization"].removeprefix("Basic ")
    assert base64.b64decode(sent) == b"a%3Ab+c:p%25w"


async def test_a_private_endpoint_is_not_asked_unless_that_is_allowed() -> None:
    async with token_server() as server:
        with pytest.raises(TokenError, match=r"kafka\.oauth\.allow_private_addresses: true"):
            await credentials(server, allow_private=False).fetch()

    assert server.heard == []


@pytest.mark.parametrize(
    "body",
    [
        "no json",
        "[]",
        "{}",
        '{"access_token": null}',
        '{"access_token": 7}',
        '{"access_token": "a\\u0001b"}',
        '{"access_token": "t", "expires_in": -1}',
        '{"access_token": "t", "expires_in": "soon"}',
    ],
)
async def test_what_is_no_token_is_refused(body: str) -> None:
    async with JudgeServer(lambda heard: reply(body)) as server:
        with pytest.raises(TokenError, match=r"is kafka\.oauth\.token_url the address"):
            await credentials(server).fetch()


@pytest.mark.parametrize(
    ("status", "lasting"), [(400, True), (401, True), (403, True), (404, True), (503, False)]
)
async def test_a_refusal_is_told_without_secrets_and_without_what_it_said(
    status: int, lasting: bool
) -> None:
    async with JudgeServer(lambda heard: reply(f'"{SECRET} was sent"', status)) as server:
        with pytest.raises(TokenError) as refused:
            await credentials(server).fetch()

    assert refused.value.lasting == lasting
    assert "kafka.oauth." in refused.value.way_out
    assert SECRET not in str(refused.value)


async def test_an_endpoint_in_tls_is_trusted_by_the_authority_of_the_settings(
    tmp_path: Path,
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = b'{"access_token": "t"}'
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context) as server:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/token"
        client = ClientCredentials(
            url, CLIENT, SECRET, ca=str(tmp_path / "ca.pem"), allow_private=True
        )
        stranger = ClientCredentials(url, CLIENT, SECRET, allow_private=True)

        assert (await client.fetch()).value == "t"
        with pytest.raises(TokenError, match="connection"):
            await stranger.fetch()


BROKERS = {
    "b-1.shop.abc123.c2.kafka.eu-west-1.amazonaws.com:9098": "eu-west-1",
    "boot-x.c1.kafka-serverless.us-gov-east-1.amazonaws.com:9098,b-2.x:9098": "us-gov-east-1",
    "b-1.shop.abc123.c2.kafka.cn-north-1.amazonaws.com.cn:9098": "cn-north-1",
    "kafka.example.com:9098": None,
    "kafka.eu-west-1.amazonaws.com.evil.example:9098": None,
}


@pytest.mark.parametrize(("servers", "region"), BROKERS.items())
def test_the_region_is_that_of_the_brokers_names(servers: str, region: str | None) -> None:
    assert region_of(servers) == region


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """Take every AWS identity of this machine away."""
    for name in ("AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    return monkeypatch


async def test_an_aws_identity_signs_for_the_region(aws: pytest.MonkeyPatch) -> None:
    aws.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
    aws.setenv("AWS_SECRET_ACCESS_KEY", "example-secret")

    token = await Signing("eu-west-1").fetch()

    signed = base64.urlsafe_b64decode(token.value + "=" * (-len(token.value) % 4)).decode()
    assert signed.startswith(
        "https://kafka.eu-west-1.amazonaws.com/?Action=kafka-cluster%3AConnect"
    )
    assert "X-Amz-Signature=" in signed
    assert "example-secret" not in signed
    assert 800 < token.seconds <= 900


async def test_without_an_aws_identity_it_says_so(aws: pytest.MonkeyPatch) -> None:
    with pytest.raises(TokenError, match="give this process an AWS identity"):
        await Signing("eu-west-1").fetch()


async def test_without_a_region_it_says_so(aws: pytest.MonkeyPatch) -> None:
    with pytest.raises(TokenError, match="AWS_DEFAULT_REGION"):
        await Signing(None).fetch()
