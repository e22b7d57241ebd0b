"""The one place that speaks HTTP: a request, a reply, and one vocabulary for what goes wrong.

    CallFailedError    cause `timeout`, `connection`, `rate_limited`, `http_<status>`,
                       `invalid_output` (too long), or `private_address`

It uses httpx's transports, not its clients: there are no redirects, cookies or proxies to turn off.
"""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

import httpx
import pydantic_core

from scorers.judges.addresses import AddressBook, PrivateAddressError
from scorers.judges.headers import cost_usd, retry_after
from scorers.judges.lanes import CONNECTIONS, Lanes
from scorers.parameters import number, whole

MAX_BYTES = 4 * 1024 * 1024
"""The longest reply that is read."""

MOST_DETAIL = 65_536
"""Bytes of a refusal that are looked at."""

CONNECT_SECONDS = 10.0
"""How long a connection may take to come about."""

TOO_MANY_REQUESTS = 429

_CAUSES: tuple[tuple[type[httpx.HTTPError], str], ...] = (
    (httpx.TimeoutException, "timeout"),
    (httpx.DecodingError, "invalid_output"),
    (httpx.HTTPError, "connection"),
)


class CallFailedError(Exception):
    """No usable reply. `detail` is the body of a refusal: to decide by, never to be logged."""

    def __init__(
        self, cause: str, *, detail: str = "", retry_after_seconds: float | None = None
    ) -> None:
        super().__init__(cause)
        self.cause = cause
        self.detail = detail
        self.retry_after_seconds = retry_after_seconds


@dataclass(frozen=True, slots=True)
class Reply:
    """The body of a reply, and what its headers say that the call cost (US dollars)."""

    body: bytes
    cost_usd: float | None = None


class HttpClient:
    """Posts JSON or a form, and returns the reply's body. Holds its connections until closed.

    `timeout_seconds` bounds the whole call, however slowly the bytes come; `in_flight` is how many
    calls are to be expected at once; `also_trusted` is a file of authorities beside the public
    ones. `transport` is for tests: with it, nothing is looked up.
    """

    def __init__(
        self,
        *,
        timeout_seconds: float,
        in_flight: int = CONNECTIONS,
        allow_private: bool = False,
        also_trusted: str | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        number("timeout_seconds", timeout_seconds, above=0)
        whole("in_flight", in_flight, least=1)
        self._timeout_seconds = timeout_seconds
        # The whole call has its limit: one more for each read and write would only cost.
        soon = min(timeout_seconds, CONNECT_SECONDS)
        self._waits = {"connect": soon, "pool": soon, "read": None, "write": None}
        if transport is None:
            # Reading the certificates takes longer than all else here: once for all lanes.
            verify = httpx.create_ssl_context(trust_env=False)
            if also_trusted is not None:
                verify.load_verify_locations(also_trusted)
            self._book: AddressBook | None = AddressBook(allow_private=allow_private)
            self._lanes = Lanes(in_flight, lambda: _transport(verify))
        else:
            self._book, self._lanes = None, Lanes(in_flight, lambda: transport)

    async def post(self, url: str, payload: object, *, headers: Mapping[str, str]) -> Reply:
        """Return a 2xx reply to JSON. Raises CallFailedError for everything else."""
        of_json = {**headers, "content-type": "application/json"}
        return await self._bounded(url, _json(payload), of_json)

    async def post_form(
        self, url: str, fields: Mapping[str, str], *, headers: Mapping[str, str]
    ) -> Reply:
        """Return a 2xx reply to a form. Raises CallFailedError for everything else."""
        of_form = {**headers, "content-type": "application/x-www-form-urlencoded"}
        return await self._bounded(url, urlencode(fields).encode(), of_form)

    async def _bounded(self, url: str, content: bytes, headers: Mapping[str, str]) -> Reply:
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await self._post(url, content, headers)
        except httpx.HTTPError as error:
            if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout) and self._book:
                self._book.went_wrong(url)
            raise CallFailedError(cause_of(error)) from error
        except TimeoutError as error:
            raise CallFailedError("timeout") from error
        except PrivateAddressError as error:
            raise CallFailedError("private_address") from error
        except OSError as error:
            raise CallFailedError("connection") from error

    async def _post(self, url: str, content: bytes, headers: Mapping[str, str]) -> Reply:
        request = await self._request(url, content, headers)
        async with self._lanes.one() as lane:
            reply = await lane.handle_async_request(request)
            try:
                body = await _read(reply)
            finally:
                await reply.aclose()
        if not reply.is_success:
            raise refused(reply, body)
        return Reply(body, cost_usd(reply.headers))

    async def _request(self, url: str, content: bytes, headers: Mapping[str, str]) -> httpx.Request:
        """Return the request; its connection goes to an address that was checked."""
        extensions: dict[str, object] = {"timeout": self._waits}
        target: httpx.URL | str = url
        sent = {**headers, "accept-encoding": "identity"}
        if self._book is not None:
            place = await self._book.place(url)
            target, sent["host"] = place.url, place.host
            extensions["sni_hostname"] = place.name
        return httpx.Request("POST", target, content=content, headers=sent, extensions=extensions)

    async def close(self) -> None:
        """Close every connection."""
        await self._lanes.close()


def _transport(verify: ssl.SSLContext) -> httpx.AsyncHTTPTransport:
    limits = httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS)
    return httpx.AsyncHTTPTransport(verify=verify, limits=limits, trust_env=False)


async def _read(reply: httpx.Response) -> bytes:
    """Return the body as it was sent. One that does not end is given up."""
    body = bytearray()
    assert isinstance(reply.stream, httpx.AsyncByteStream)  # noqa: S101 - what transports return
    async for chunk in reply.stream:
        body += chunk
        if len(body) > MAX_BYTES:
            raise CallFailedError("invalid_output")
    return bytes(body)


def cause_of(error: httpx.HTTPError) -> str:
    """Name what went wrong below HTTP, in the words of the error table."""
    return next(cause for kind, cause in _CAUSES if isinstance(error, kind))


def refused(reply: httpx.Response, body: bytes) -> CallFailedError:
    """Return the error that a status other than 2xx stands for."""
    limited = reply.status_code == TOO_MANY_REQUESTS
    return CallFailedError(
        "rate_limited" if limited else f"http_{reply.status_code}",
        detail=body[:MOST_DETAIL].decode(errors="replace"),
        retry_after_seconds=retry_after(reply.headers),
    )


def _json(payload: object) -> bytes:
    """Return compact JSON in the order given: judges write their keys in the schema's order."""
    return pydantic_core.to_json(payload)
