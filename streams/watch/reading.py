"""From the bytes on the scores and marks topics to what the fold takes."""

from typing import Annotated

from pydantic import Discriminator, TypeAdapter, ValidationError

from schemas.mark import Mark, Tick
from schemas.score import ScoreEvent
from schemas.tally import Tally

Watched = ScoreEvent | Tally | Mark | Tick

_WATCHED: TypeAdapter[Watched] = TypeAdapter(Annotated[Watched, Discriminator("kind")])


class UnreadableMessageError(ValueError):
    """The record is no message of ours, or one of a later major version."""


def read_message(value: bytes | None) -> Watched:
    """Read one message. Raises UnreadableMessageError, which names the fields at fault."""
    try:
        return _WATCHED.validate_json(value or b"")
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False, include_context=False)
        named = ("{}: {}".format(".".join(map(str, f["loc"])), f["type"]) for f in faults[:5])
        raise UnreadableMessageError("; ".join(named)) from None
