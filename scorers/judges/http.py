"""The one place that speaks HTTP: a request, a reply, and one vocabulary for what goes wrong.

    CallFailedError    cause `timeout`, `connection`, `rate_limited` or `http_<status>`

Redirects are never followed, and neither proxies nor certificates are taken from the environment.
"""

import asyncio
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import httpx

from scorers.parameters import number, whole

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


@dataclass(slots=True)
class _Lane:
    """A client of a few connections, and how many calls are on it."""

    client: httpx.AsyncClient
    busy: int = 0


class HttpClient:
    """Posts JSON and returns the body of the reply. Holds its connections until closed.

    `timeout_seconds` bounds the whole call, however slowly the bytes come; `in_flight` is how many
    calls are to be expected at once. They are spread over clients of a few connections each.
    """

    def __init__(
        self,
        *,
        timeout_seconds: float,
        in_flight: int = CONNECTIONS,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        number("timeout_seconds", timeout_seconds, above=0)
        whole("in_flight", in_flight, least=1)
        self._timeout_seconds = timeout_seconds
        # Reading the certificates takes longer than all else here: once for all clients.
        verify = httpx.create_ssl_context(trust_env=False) if transport is None else True
        self._lanes = [
            _Lane(
                httpx.AsyncClient(
                    transport=transport,
                    verify=verify,
                    timeout=httpx.Timeout(timeout_seconds),
                    limits=httpx.Limits(
                        max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS
                    ),
                    follow_redirects=False,
                    trust_env=False,
                )
            )
            for _ in range(math.ceil(in_flight / CONNECTIONS))
        ]

    async def post(self, url: str, payload: object, *, headers: Mapping[str, str]) -> bytes:
        """Return the body of a 2xx reply. Raises CallFailedError for everything else."""
        lane = min(self._lanes, key=lambda lane: lane.busy)
        lane.busy += 1
        try:
            async with asyncio.timeout(self._timeout_seconds):
                reply = await lane.client.post(
                    url,
                    content=_json(payload),
                    headers={**headers, "content-type": "application/json"},
                )
        except httpx.HTTPError as error:
            raise CallFailedError(cause_of(error)) from error
        except TimeoutError as error:
            raise CallFailedError("timeout") from error
        finally:
            lane.busy -= 1
        if not reply.is_success:
            raise refused(reply)
        return reply.content

    async def close(self) -> None:
        """Close every connection."""
        for lane in self._lanes:
            await lane.client.aclose()


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
