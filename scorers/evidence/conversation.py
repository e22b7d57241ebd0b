"""What was said just before a question: it tells what "it", "there" or "the second one" mean.

It is shown as such, and is no evidence: an assistant's earlier words do not prove its later ones.
"""

from collections.abc import Sequence

from schemas.trace import RagTrace, Turn
from scorers.questions import Evidence

LAST_TURNS = 4
"""Two questions and their answers: what pronouns point to is rarely further away."""

TURN_CHARACTERS = 500
"""Of one turn that is shown; of a longer one its beginning, which names what it is about."""

_ROLE_CHARACTERS = 32


def lately(trace: RagTrace, evidence: Sequence[Evidence] = ()) -> tuple[Turn, ...]:
    """Return the last turns before the question, the oldest first, each cut to a bounded length.

    None where the history is itself the evidence: then all of it is shown already.
    """
    if any(piece.kind == "history" for piece in evidence):
        return ()
    said = [turn for turn in trace.history or () if turn.text.strip()]
    return tuple(
        Turn(role=turn.role[:_ROLE_CHARACTERS], text=_beginning(turn.text))
        for turn in said[-LAST_TURNS:]
    )


def _beginning(text: str) -> str:
    return text if len(text) <= TURN_CHARACTERS else text[: TURN_CHARACTERS - 1] + "…"
