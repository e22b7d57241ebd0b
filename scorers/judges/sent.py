"""What was sent on a row's behalf, whether or not anybody still waits for the answer."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import reduce

from schemas.score import Usage
from scorers.contract import NO_COST
from scorers.judges.metered import total

_SENT: ContextVar[list[Usage] | None] = ContextVar("sent", default=None)


@contextmanager
def noted() -> Iterator[Sequence[Usage]]:
    """Yield what attempts cost that end inside, also in tasks that are begun here."""
    sent: list[Usage] = []
    token = _SENT.set(sent)
    try:
        yield sent
    finally:
        _SENT.reset(token)


def note(usage: Usage) -> None:
    """Note what an attempt cost, or may cost: one that is cut off is paid for all the same."""
    sent = _SENT.get()
    if sent is not None:
        sent.append(usage)


def cut_off(answered: Usage, sent: Sequence[Usage]) -> Usage:
    """Return what a row cost: its answers, and whatever was sent for it and then cut off."""
    all_of_it = reduce(total, sent, NO_COST)
    if all_of_it.attempts <= answered.attempts:
        return answered
    return all_of_it.model_copy(update={"calls": answered.calls + 1})
