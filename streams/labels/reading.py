"""Reading a labels file that people filled in: what is wrong is said by line and field."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic import ValidationError

from schemas.json_text import UnreadableJsonError, read_object
from schemas.label import Label, LabelRow, Prediction, unsealed

MAX_BYTES = 16 << 20
"""Of a line: more than any row that we read."""

SCHEMA = "streamgauge.label/1"

_SAID = {
    "label": "write good, bad, unsure, or a grade from 1 (worst) to 5; null leaves it open",
    "note": "write text, or null",
}
_CHANGED = "is missing or was changed: copy the line anew from the file that was picked"


class LabelsError(Exception):
    """A labels file cannot be used. `faults` are all that were found, in order of their lines."""

    def __init__(self, faults: Iterable[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(self.faults))


@dataclass(frozen=True, slots=True)
class Labelled:
    """A verdict beside a person's label; None where nobody has given one."""

    verdict: Prediction
    label: Label | None


def read_labels(lines: Iterable[bytes]) -> list[Labelled]:
    """Return what stands in the lines of a file; empty ones are passed over. Raises LabelsError."""
    found: list[Labelled] = []
    faults: list[str] = []
    seen: dict[str, int] = {}
    for number, raw in enumerate(lines, start=1):
        if not raw.strip():
            continue
        row, wrong = _read(raw)
        if row is not None and row.event_id in seen:
            wrong = [f"event_id: stands in line {seen[row.event_id]} already: keep one of them"]
        elif row is not None and not wrong:
            seen[row.event_id] = number
            found.append(Labelled(unsealed(row.sealed), row.label))
        faults += [f"line {number}: {fault}" for fault in wrong]
    if faults:
        raise LabelsError(faults)
    return found


def _read(raw: bytes) -> tuple[LabelRow | None, list[str]]:
    try:
        values = read_object(raw, max_bytes=MAX_BYTES)
    except UnreadableJsonError as error:
        return None, [f"not one JSON object a line ({error})"]
    if values.get("schema") != SCHEMA:
        return None, [f"schema: is not {SCHEMA}: is this a file of `streamgauge labels pick`?"]
    try:
        row = LabelRow.model_validate(values)
    except ValidationError as error:
        return None, list(_wrong(error))
    try:
        unsealed(row.sealed)
    except ValueError as error:
        return row, [f"sealed: {error}"]
    return row, []


def _wrong(error: ValidationError) -> Iterator[str]:
    for name in dict.fromkeys(str(detail["loc"][0]) for detail in error.errors()):
        yield f"{name}: {_SAID.get(name, _CHANGED)}"
