"""Asking a listener which SASL mechanisms it offers, byte by byte: the answer tells what it is.

A client library would only say that it did not get through.
"""

import asyncio
import struct
from collections.abc import Sequence
from datetime import timedelta

from streams.kafka import trouble
from streams.kafka.trouble import Trouble
from streams.security import Security

PATIENCE = timedelta(seconds=5)
"""For one server to answer a question."""

_HANDSHAKE = 17
_TLS_ALERT = 0x15
_LONGEST = 4096


async def offered(host: str, port: int, security: Security) -> Sequence[str] | Trouble:
    """Ask for a mechanism, and return those that are offered, or that there is no such talk.

    Raises OSError (ssl.SSLError is one, TimeoutError is one) and EOFError.
    """
    async with asyncio.timeout(PATIENCE.total_seconds()):
        reader, writer = await asyncio.open_connection(host, port, ssl=security.tls)
        try:
            writer.write(_question(security.mechanism or "PLAIN"))
            head = await reader.readexactly(4)
            if head[0] == _TLS_ALERT:
                return trouble.SPEAKS_TLS
            (size,) = struct.unpack(">i", head)
            if not 0 < size <= _LONGEST:
                return trouble.NO_KAFKA
            return _mechanisms(await reader.readexactly(size))
        finally:
            writer.transport.abort()


def _question(mechanism: str) -> bytes:
    """Return a SaslHandshake request, version 1, of no client in particular."""
    name = mechanism.encode()
    body = struct.pack(">hhihh", _HANDSHAKE, 1, 1, -1, len(name)) + name
    return struct.pack(">i", len(body)) + body


def _mechanisms(answer: bytes) -> Sequence[str] | Trouble:
    """Return what the answer lists: after its number and an error, names with their lengths."""
    try:
        _, _, count = struct.unpack_from(">ihi", answer)
        names, at = [], 10
        for _ in range(count):
            (length,) = struct.unpack_from(">h", answer, at)
            names.append(answer[at + 2 : at + 2 + length].decode())
            at += 2 + length
    except (struct.error, UnicodeDecodeError):
        return trouble.NO_KAFKA
    return names
