"""Records and rows for the tests of the intake."""

import json
from collections.abc import Sequence

from streams.ports import Record

NINE_FIFTEEN = 1_769_850_900_000
"""2026-01-31T09:15:00Z."""


def record(
    value: object,
    *,
    timestamp: int = NINE_FIFTEEN,
    headers: Sequence[tuple[str, bytes]] = (),
) -> Record:
    """A record of the traces topic: bytes and None as they are, anything else as JSON."""
    raw = value if value is None or isinstance(value, bytes) else json.dumps(value).encode()
    return Record("rag.traces", 3, 81_234, None, raw, timestamp, tuple(headers))


def row(**fields: object) -> dict[str, object]:
    """A row with an identity, and the fields given."""
    return {"trace_id": "t-1", "service": "shop", **fields}
