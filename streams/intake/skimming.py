"""Reading the few fields that sampling needs, and passing over the texts of a row unmade.

Every row is read this far, so this is the hot path, and calls are half of what it costs: the usual
row is read in one go. Whatever is unusual is left to the full reader, which alone says what is
wrong with a row.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
from pydantic import JsonValue

from streams.batch import Parsed
from streams.intake.envelope import Beside
from streams.intake.event_time import event_time
from streams.intake.head import Head, Profiles, named
from streams.intake.layout import ALIASES, HEAD
from streams.intake.probes import carries_probe
from streams.intake.refusals import RefusedRowError

Skim = Callable[[bytes, Parsed, Beside | None], Head | None]
"""Returns the head of a row in its record and envelope, None for what is better read in full."""

_SIZE = len(HEAD)
_NAMES = tuple((name, *ALIASES.get(name, ())) for name in HEAD)
_MEMBERS = HEAD + tuple(name for names in _NAMES for name in names[1:])
_PLACES = tuple(tuple(map(_MEMBERS.index, names)) for names in _NAMES)
_NO_ALIAS = (None,) * (len(_MEMBERS) - _SIZE)
_ROW = msgspec.defstruct(
    "Row",
    [(f"f{place}", object, None) for place in range(len(_MEMBERS))],
    rename={f"f{place}": name for place, name in enumerate(_MEMBERS)},
    gc=False,
)


def skimming(profiles: Profiles, max_bytes: int) -> Skim:
    """Return what reads rows whose fields of `HEAD` stand under their own names or aliases.

    It takes what `peek` takes and means the same by it, or returns None; only depth is bounded
    later. Of two names of a field the best that is not null wins, as in `RowLayout.fields_of`.
    """
    decode, members = msgspec.json.Decoder(_ROW).decode, msgspec.structs.astuple
    known, no_labels = profiles.known, dict[str, JsonValue]()

    def skim(raw: bytes, record: Parsed, beside: Beside | None) -> Head | None:
        if len(raw) > max_bytes or (record.headers and carries_probe(record.headers)):
            return None
        try:
            if not raw.isascii():
                raw.decode()  # texts that are passed over are not checked to be UTF-8
            found = members(decode(raw))
            fields: Sequence[JsonValue] = found[:_SIZE]
            if found[_SIZE:] != _NO_ALIAS:
                fields = [_first(found[place] for place in places) for places in _PLACES]
            if beside is not None:
                fields = beside.heading(fields)
            trace_id, answered_at, schema, service, environment, feedback, attributes = fields
            at, at_from = event_time(answered_at, record.timestamp)
            labels: Any = attributes or no_labels
            try:
                profile = known[schema, service, environment, feedback, *labels, *labels.values()]
            except (KeyError, TypeError, AttributeError):
                profile = profiles.profile(fields[2:])
            return Head(named("trace_id", trace_id), at, at_from, profile)
        except (ValueError, RecursionError, msgspec.DecodeError, RefusedRowError):
            return None

    return skim


def _first(values: Iterable[JsonValue]) -> JsonValue:
    return next((value for value in values if value is not None), None)
