"""Whether the row that is being judged is still ours: asked before each request that costs money.

A deadline is known to whatever runs inside it, and so is this: judges are shared by all rows, and a
question does not know whose it is.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


async def _always() -> bool:
    return True


_ours: ContextVar[Callable[[], Awaitable[bool]]] = ContextVar("ours", default=_always)


class NotOursError(Exception):
    """Somebody else has the row by now, and judges it: nothing more is spent on it here."""


@contextmanager
def only_while(ours: Callable[[], Awaitable[bool]]) -> Iterator[None]:
    """Let what runs inside, and the tasks that begin there, ask only while `ours` says so."""
    token = _ours.set(ours)
    try:
        yield
    finally:
        _ours.reset(token)


async def check_ours() -> None:
    """Raise NotOursError where the row is not ours any more. With no `only_while` around, it is."""
    if not await _ours.get()():
        raise NotOursError
