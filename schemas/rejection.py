"""A record that could not be read, kept whole so that it can be read later."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a record was set aside. Not a WireModel: its bytes travel as they came, this in headers.

    `reason` is a code (`schemas.json_text` and `streams.intake` list them), `detail` names fields
    and faults and nothing of the content, `assistant` is who it is from where that could be read.
    One that is not `kept` is counted like the others, and lies in no dead-letter topic.
    """

    reason: str
    detail: str
    assistant: str | None = None
    kept: bool = True
