"""What a list of outcomes adds up to: the mean of the scored ones, and how many have no score."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.score import Outcome, Scored


@dataclass(frozen=True, slots=True)
class Summary:
    """`mean` is that of the scored rows, each counted once whatever its length; None: no row was.

    `coverage` is scored / (scored + failed): a mean alone rises while hard rows fail. None where
    there is neither. `no_claims` of the scored rows stated nothing, and count as they scored.
    """

    scores: tuple[float | None, ...]
    mean: float | None
    scored: int
    failed: int
    not_scorable: int
    invalid: int
    no_claims: int
    coverage: float | None


def summarise(outcomes: Sequence[Outcome]) -> Summary:
    """Add up the outcomes of one scorer. `scores` stay aligned with them."""
    statuses = Counter(outcome.status for outcome in outcomes)
    scored = [outcome for outcome in outcomes if isinstance(outcome, Scored)]
    tried = statuses["scored"] + statuses["error"]
    return Summary(
        scores=tuple(o.score if isinstance(o, Scored) else None for o in outcomes),
        mean=sum(o.score for o in scored) / len(scored) if scored else None,
        scored=statuses["scored"],
        failed=statuses["error"],
        not_scorable=statuses["not_scorable"],
        invalid=statuses["invalid_input"],
        no_claims=sum("no_claims" in outcome.flags for outcome in scored),
        coverage=statuses["scored"] / tried if tried else None,
    )
