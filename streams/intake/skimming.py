"""Reading the few fields that sampling needs, and passing over the texts of a row unmade.

Every row is read this far, so this is the hot path. Whatever is unusual is left to the full reader,
which alone says what is wrong with a row.
"""

from collections.abc import Callable, Iterable, Sequence

import msgspec
from pydantic import JsonValue

from streams.intake.layout import ALIASES, HEAD

Heading = Sequence[JsonValue]
"""The fields of `HEAD`, in that order: None where absent."""

Skim = Callable[[bytes], Heading | None]
"""Returns the fields of a row, None for what is better read in full."""

_NAMES = tuple((name, *ALIASES.get(name, ())) for name in HEAD)
_MEMBERS = HEAD + tuple(name for names in _NAMES for name in names[1:])
_PLACES = tuple(tuple(map(_MEMBERS.index, names)) for names in _NAMES)
_NO_ALIAS = (None,) * (len(_MEMBERS) - len(HEAD))
_ROW = msgspec.defstruct(
    "Row",
    [(f"f{place}", object, None) for place in range(len(_MEMBERS))],
    rename={f"f{place}": name for place, name in enumerate(_MEMBERS)},
    gc=False,
)


def skimming() -> Skim:
    """Return what reads rows whose fields of `HEAD` stand under their own names or aliases.

    It takes what `peek` takes and means the same by it, or returns None; only depth is bounded
    later. Of two names of a field the best that is not null wins, as in `RowLayout.fields_of`.
    """
    decode, members = msgspec.json.Decoder(_ROW).decode, msgspec.structs.astuple

    def skim(raw: bytes) -> Heading | None:
        try:
            if not raw.isascii():
                raw.decode()  # texts that are passed over are not checked to be UTF-8
            found = members(decode(raw))
        except (ValueError, RecursionError, msgspec.DecodeError):
            return None
        if found[len(HEAD) :] == _NO_ALIAS:
            return found[: len(HEAD)]
        return [_first(found[place] for place in places) for places in _PLACES]

    return skim


def _first(values: Iterable[JsonValue]) -> JsonValue:
    return next((value for value in values if value is not None), None)
