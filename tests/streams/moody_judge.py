"""A judge that fails in every way at once, and keeps account of what it dealt."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from random import Random

import httpx

from tests.judge_server import completion

GOOD_SHARE, SLOW_SHARE = 0.5, 0.004
GOOD = {
    "verify": {"verdicts": [{"id": 1, "reason": "so", "verdict": "yes"}]},
    "statements": {"statements": ["so"], "reasons": ["so"], "statement_scores": [1]},
}
ODD = ['"4/5"', "7", "-1", "NaN", "1e999", "null", "0.5", "9" * 400]
GARBAGE = [b"", b"[1]", b'{"choices": [', b"\xff\xfe", b"NaN", completion("x").encode() * 2]
LATER = ["0", "-1", "soon", "1e9", "99999999999", "Thu, 01 Jan 1970 00:00:00 GMT", ""]
MEGABYTE = b"x" * 2**20
STATUSES = [400, 408, 413, 422, 500, 502, 503, 529]


Dealt = tuple[str, httpx.Response | Exception | None]
"""The cause that an attempt is to end with (none: an answer), and how; None: never."""


class Body(httpx.AsyncByteStream):
    """A reply that goes wrong on the way: so much, and then for ever a byte, a megabyte or none."""

    def __init__(self, more: bytes, pause: float, error: Exception | None = None) -> None:
        self._more, self._pause, self._error = more, pause, error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b'{"choices'
        while self._error is None:
            yield self._more
            await asyncio.sleep(self._pause)
        raise self._error


@dataclass
class Moody(httpx.AsyncBaseTransport):
    """Deals out replies of every kind, and keeps account of them by step and cause."""

    dice: Random = field(default_factory=lambda: Random(7))
    dealt: Counter[tuple[str, str]] = field(default_factory=Counter)
    together: asyncio.Barrier | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        step = body["response_format"]["json_schema"]["name"]
        if self.together is not None:
            await self.together.wait()
            return httpx.Response(200, text=completion(GOOD[step]))
        cause, reply = self._deal(step, body["messages"][1]["content"])
        self.dealt[step, cause] += 1
        if reply is None:
            await asyncio.Event().wait()
        if isinstance(reply, Exception):
            raise reply
        assert reply is not None
        return reply

    def _deal(self, step: str, asked: str) -> Dealt:
        chance, choose = self.dice.random(), self.dice.choice
        if chance < GOOD_SHARE:
            return "", httpx.Response(200, text=completion(GOOD[step]))
        if chance < GOOD_SHARE + SLOW_SHARE:
            return "timeout", choose([None, _streaming(Body(b"x", 0.1))])
        bad, status = choose(ODD), choose(STATUSES)
        odd = f'{{"verdicts": [{{"verdict": {bad}}}], "statements": ["x"], "reasons": ["x"],'
        odd += f' "statement_scores": [{bad}]}}'
        ways: Sequence[tuple[str, Callable[[], httpx.Response | Exception]]] = [
            (f"http_{status}", lambda: httpx.Response(status, text="no")),
            ("rate_limited", lambda: httpx.Response(429, headers={"retry-after": choose(LATER)})),
            ("connection", lambda: choose([httpx.ConnectError, httpx.ReadError])("it broke")),
            ("connection", lambda: httpx.RemoteProtocolError("half of the headers")),
            ("connection", lambda: _streaming(Body(b"", 0, httpx.ReadError("it broke off")))),
            ("timeout", lambda: httpx.PoolTimeout("no place")),
            ("invalid_output", lambda: _streaming(Body(MEGABYTE, 0))),
            ("invalid_output", lambda: httpx.Response(200, html="<p>Welcome</p>")),
            ("invalid_output", lambda: httpx.Response(200, content=choose(GARBAGE))),
            ("invalid_output", lambda: httpx.Response(200, text=completion(asked))),
            ("invalid_output", lambda: httpx.Response(200, text=completion(odd))),
            ("truncated", lambda: httpx.Response(200, text=completion(None, finish="length"))),
            ("empty_response", lambda: httpx.Response(200, text=completion(" "))),
        ]
        cause, reply = choose(ways)
        return cause, reply()


def _streaming(body: Body) -> httpx.Response:
    return httpx.Response(200, stream=body)
