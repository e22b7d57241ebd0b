"""What people and programs read of dead letters: tables, or JSON lines. No bytes unless asked."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue
from rich.table import Table
from rich.text import Text

from schemas.wire import from_milliseconds, rfc3339
from streams.dead.letters import DeadLetter
from streams.dead.reading import Selection

RAW = "what follows is raw, unredacted data of your users"

Payloads = Mapping[DeadLetter, bytes | None]
"""The bytes of some letters, None for one that has no value."""


def tables(
    found: Selection, shown: Sequence[DeadLetter], payloads: Payloads
) -> Iterator[Table | Text]:
    """Yield counts by reason, then the letters, then the bytes of those that `payloads` holds."""
    counts = Table(title="dead letters", title_justify="left")
    counts.add_column("reason", overflow="fold")
    counts.add_column("wait", justify="right")
    counts.add_column("sent back", justify="right")
    for reason, waits, gone in found.counts():
        counts.add_row(_plain(reason), str(waits), str(gone))
    yield counts
    if shown:
        yield _listed(shown, of=len(found.waiting))
    for letter, value in payloads.items():
        text = "no value" if value is None else value.decode(errors="replace")
        yield Text.assemble((str(letter.origin), "bold"), "  ", _plain(text))


def _listed(shown: Sequence[DeadLetter], *, of: int) -> Table:
    title = f"the latest {len(shown)} of {of} that wait" if len(shown) < of else "those that wait"
    table = Table(title=title, title_justify="left", show_lines=True)
    table.add_column("row", overflow="fold")
    table.add_column("why", overflow="fold")
    table.add_column("attempts", justify="right")
    table.add_column("redrives", justify="right")
    table.add_column("first failed at", min_width=len("2026-01-31"), overflow="fold")
    for one in shown:
        table.add_row(
            _stacked(str(one.origin or "untold"), one.assistant),
            _stacked(one.reason, one.detail),
            str(one.attempts),
            str(one.redrives),
            _stacked(*one.first_failed_at.split("T", 1)),
        )
    return table


def _stacked(*texts: str) -> Text:
    return Text("\n").join(map(_plain, texts))


def _plain(text: str) -> Text:
    """Return text of others without what would command a terminal."""
    return Text("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text))


def json_lines(
    found: Selection, shown: Sequence[DeadLetter], payloads: Payloads
) -> Iterator[dict[str, JsonValue]]:
    """Yield an object for each reason, then one for each letter."""
    for reason, waits, gone in found.counts():
        yield {"kind": "count", "reason": reason, "waiting": waits, "sent_back": gone}
    for one in shown:
        yield {
            "kind": "letter",
            "origin": None if one.origin is None else str(one.origin),
            "partition": one.partition,
            "offset": one.offset,
            "assistant": one.assistant,
            "reason": one.reason,
            "detail": one.detail,
            "attempts": one.attempts,
            "redrives": one.redrives,
            "first_failed_at": one.first_failed_at,
            "set_aside_at": rfc3339(from_milliseconds(one.set_aside_at)),
            **(_payload(payloads[one]) if one in payloads else {}),
        }


def _payload(value: bytes | None) -> dict[str, JsonValue]:
    if value is None:
        return {"payload": None}
    try:
        return {"payload": value.decode()}
    except UnicodeDecodeError:
        return {"payload_base64": base64.b64encode(value).decode()}


def lines_of(objects: Iterator[dict[str, JsonValue]]) -> Iterator[str]:
    """Yield objects as lines."""
    for one in objects:
        yield json.dumps(one, allow_nan=False) + "\n"
