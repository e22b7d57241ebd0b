"""The one place that speaks HTTP: a request, a reply, and one vocabulary for what goes wrong.

    CallFailedError    cause `timeout`, `connection`, `rate_limited` or `http_<status>`

Redirects are never followed, and neither proxies nor certificates are taken from the environment.
"""

import asyncio
import json
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

import httpx

from scorers.parameters import number

CONNECTIONS = 16
"""Connections a client keeps: httpcore's bookkeeping grows with the square of the idle ones."""

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


class HttpClient:
    """Posts JSON and returns the body of the reply. Holds its connections until closed.

    `timeout_seconds` bounds the whole call, however slowly the bytes come.
    """

    def __init__(
        self, *, timeout_seconds: float, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        number("timeout_seconds", timeout_seconds, above=0)
        self._timeout_seconds = timeout_seconds
        self._client = httpx.AsyncClient(
            transport=transport,
            timeout=httpx.Timeout(timeout_seconds),
            limits=httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS),
            follow_redirects=False,
            trust_env=False,
        )

    async def post(self, url: str, payload: object, *, headers: Mapping[str, str]) -> bytes:
        """Return the body of a 2xx reply. Raises CallFailedError for everything else."""
        try:
            async with asyncio.timeout(self._timeout_seconds):
                reply = await self._client.post(
                    url,
                    content=_json(payload),
                    headers={**headers, "content-type": "application/json"},
                )
        except httpx.HTTPError as error:
            raise CallFailedError(cause_of(error)) from error
        except TimeoutError as error:
            raise CallFailedError("timeout") from error
        if not reply.is_success:
            raise refused(reply)
        return reply.content

    async def close(self) -> None:
        """Close every connection."""
        await self._client.aclose()


def cause_of(error: httpx.HTTPError) -> str:
    """Name what went wrong below HTTP, in the words of the error table."""
    return next(cause for kind, cause in _CAUSES if isinstance(error, kind))


def refused(reply: httpx.Response) -> CallFailedError:
    """Return the error that a status other than 2xx stands for."""
    limited = reply.status_code == TOO_MANY_REQUESTS
    return CallFailedError(
        "rate_limited" if limited else f"http_{reply.status_code}",
        detail=reply.text,
        retry_after_seconds=retry_after(reply.headers),
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait. A date counts from the reply's own: no clock is needed."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        until, now = parsedate_to_datetime(value), parsedate_to_datetime(headers.get("date", ""))
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):
        return None


def _json(payload: object) -> bytes:
    """Return compact JSON in the order given: judges write their keys in the schema's order."""
    text = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode()
