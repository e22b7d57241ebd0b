"""A judge on 127.0.0.1 that takes its time and says yes, for benchmarks; prints its port.

    python benchmarks/loopback_judge.py SECONDS SHARE_OF_429

Both shapes: a chat completion, or probabilities for each question. Ends with standard input.
"""

import asyncio
import json
import random
import sys
from collections.abc import Callable

VERDICT = json.dumps(
    {"verdicts": [{"id": 1, "reason": "it says so", "quote": None, "verdict": "yes"}]}
)
CHAT = json.dumps(
    {
        "model": "judge",
        "choices": [
            {"message": {"role": "assistant", "content": VERDICT}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 400, "completion_tokens": 30},
    }
).encode()
CHOICE = {
    "choice": "supported",
    "probabilities": {"supported": 0.9, "contradicted": 0.05, "not_stated": 0.05},
}


class Judge(asyncio.Protocol):
    """Reads one request after the other, and answers each after the time that it takes."""

    def __init__(
        self, seconds: float, refused: float, hear: Callable[[bytes], None] | None = None
    ) -> None:
        self._hear = hear
        self._seconds = seconds
        self._refused = refused
        self._dice = random.Random(7)  # noqa: S311 - no secret depends on it
        self._buffer = b""
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - a TCP server's are
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer once a request is whole."""
        self._buffer += data
        head, end, rest = self._buffer.partition(b"\r\n\r\n")
        if not end:
            return
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        if len(rest) < length:
            return
        self._buffer = rest[length:]
        if self._hear:
            self._hear(rest[:length])
        reply = self._reply(head, rest[:length])
        asyncio.get_running_loop().call_later(self._seconds, self._write, reply)

    def _reply(self, head: bytes, body: bytes) -> bytes:
        if self._dice.random() < self._refused:
            return b"HTTP/1.1 429 No\r\nretry-after: 1\r\ncontent-length: 2\r\n\r\n{}"
        text = CHAT if b"/chat/" in head.split(b"\r\n")[0] else _probabilities(body)
        return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(text), text)

    def _write(self, reply: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(reply)


def _probabilities(body: bytes) -> bytes:
    answers = dict.fromkeys(json.loads(body)["questions"], CHOICE)
    usage = {"input_tokens": 400}
    return json.dumps({"model": "judge", "answers": answers, "usage": usage}).encode()


async def main() -> None:
    """Serve until standard input ends."""
    seconds, refused = float(sys.argv[1]), float(sys.argv[2])
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Judge(seconds, refused), "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
