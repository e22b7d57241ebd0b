"""Marking a verdict as bad or not, which is a rule of its own: a new bar judges nothing again."""

from collections.abc import Callable

from schemas.score import Outcome, Scored


def ruled(outcome: Outcome, bad: Callable[[Scored], bool]) -> Outcome:
    """Return the outcome with `bad` set by the rule; one without a verdict as it is."""
    if not isinstance(outcome, Scored):
        return outcome
    return outcome.model_copy(update={"bad": bad(outcome)})
