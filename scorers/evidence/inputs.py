"""What every scorer looks at before it judges: fields that break its rules, and answers apart."""

from collections.abc import Sequence

from schemas.score import InvalidInput
from schemas.trace import RagTrace

ABSTENTIONS = ("No relevant evidence found.",)
"""The refusals that count as such by default."""

APART = frozenset({"abstained", "empty_answer", "no_claims"})
"""Flags of answers that are in the mean, and neither bad nor good."""


def invalid(trace: RagTrace, *reads: str) -> InvalidInput | None:
    """Return why the trace cannot be judged by a scorer that reads these fields; None if it can.

    No scorer can do without an answer. A field that was there and could not be read is no absence.
    """
    unusable = [name for name in ("answer", *reads) if name in trace.unusable]
    if unusable:
        return InvalidInput(reason=f"unusable_{unusable[0]}")
    if trace.answer is None:
        return InvalidInput(reason="missing_answer")
    return None


def abstains(answer: str, abstentions: Sequence[str]) -> bool:
    """Say whether the answer is one of the refusals, exactly, but for white space around it."""
    return answer.strip() in abstentions


def apart(answer: str, *, claims: int, abstentions: Sequence[str]) -> tuple[str, ...]:
    """Return the flags that set an answer apart, the one that names it best first."""
    flags = {
        "abstained": abstains(answer, abstentions),
        "empty_answer": not answer.strip(),
        "no_claims": claims == 0,
    }
    return tuple(flag for flag, holds in flags.items() if holds)
