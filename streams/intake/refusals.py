"""Why a row that is strict JSON (or nothing at all) is set aside all the same."""

from typing import Literal

RowFault = Literal[
    "tombstone",
    "unsupported_encoding",
    "unreadable_spans",
    "not_one_row",
    "newer_schema",
    "wrong_schema",
    "no_identity",
    "bad_identity",
    "bad_time",
    "probe",
]
"""The codes. docs/messages.md has a line for each."""


class RefusedRowError(ValueError):
    """The row cannot be taken. `detail` names a field and its fault, never the content."""

    def __init__(self, reason: RowFault, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
