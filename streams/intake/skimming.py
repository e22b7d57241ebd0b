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
from streams.intake.head import Head, Key, Profile, Profiles, keep, named
from streams.intake.layout import ALIASES, HEAD
from streams.intake.probes import carries_probe
from streams.intake.refusals import RefusedRowError

Opened = tuple[bytes | None, Parsed, Beside | None]
"""The bytes of a row (None: there are none), its record, and what stands beside it."""

Skim = Callable[[Iterable[Opened]], list[Head | None]]
"""Returns the head of each row, None for what is better read in full."""

_NAMES = tuple((name, *ALIASES.get(name, ())) for name in HEAD)
_MEMBERS = HEAD + tuple(alias for names in _NAMES for alias in names[1:])
_PLACES = tuple(tuple(map(_MEMBERS.index, names)) for names in _NAMES)
_NO_ALIAS = [None] * (len(_MEMBERS) - len(HEAD))
_AS_WRITTEN = HEAD.index("attributes")
_ROW = msgspec.defstruct(
    "Row",
    [
        (f"f{place}", msgspec.Raw if place == _AS_WRITTEN else object, None)
        for place in range(len(_MEMBERS))
    ],
    rename={f"f{place}": name for place, name in enumerate(_MEMBERS)},
    gc=False,
)


def skimming(profiles: Profiles, max_bytes: int) -> Skim:
    """Return what reads rows whose fields of `HEAD` stand under their own names or aliases.

    It takes what `peek` takes and means the same by it, or returns None; how deep what it passes
    over may be, and how long a number, is bounded later. Of two names of a field the best that is
    not null wins, as in `RowLayout.fields_of`.
    """
    decode, members = msgspec.json.Decoder(_ROW).decode, msgspec.structs.astuple
    known: dict[Key, Profile] = {}

    def skim(rows: Iterable[Opened]) -> list[Head | None]:
        heads: list[Head | None] = []
        for raw, record, beside in rows:
            try:
                headers = record.headers
                if raw is None or len(raw) > max_bytes or (headers and carries_probe(headers)):
                    heads.append(None)
                    continue
                if not raw.isascii():
                    raw.decode()  # texts that are passed over are not checked to be UTF-8
                found = members(decode(raw))
                trace_id, answered_at, schema, service, where, feedback, labels, *others = found
                if others == _NO_ALIAS and beside is None:
                    key = schema, service, where, feedback, labels and bytes(labels)
                    try:
                        profile = known[key]
                    except (KeyError, TypeError):  # a list has no hash
                        profile = profiles.profile([*key[:-1], _read(labels)])
                        keep(known, key, profile)
                else:
                    trace_id, answered_at, *labelling = _completed(found, beside)
                    profile = profiles.profile(labelling)
                at, at_from = event_time(answered_at, record.timestamp)
                heads.append(Head(named("trace_id", trace_id), at, at_from, profile))
            except (ValueError, RecursionError, msgspec.DecodeError, RefusedRowError):
                heads.append(None)
        return heads

    return skim


def _completed(found: Sequence[Any], beside: Beside | None) -> Sequence[JsonValue]:
    """Return the fields of `HEAD`, each under the best of its names, with those of the envelope."""
    read = [*found[:_AS_WRITTEN], _read(found[_AS_WRITTEN]), *found[_AS_WRITTEN + 1 :]]
    fields = [_first(read[place] for place in places) for places in _PLACES]
    return fields if beside is None else beside.heading(fields)


def _read(written: msgspec.Raw | None) -> JsonValue:
    value: JsonValue = None if written is None else msgspec.json.decode(written)
    return value


def _first(values: Iterable[JsonValue]) -> JsonValue:
    return next((value for value in values if value is not None), None)
