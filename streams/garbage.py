"""How often garbage is looked for while rows stream through."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG = 20_000
"""How many objects may be new before the collector looks at them.

At its 700 it looks at every batch several times, and finds what the next moment frees by itself:
that is a thirtieth of the time of reading. Cycles are rare here, and small.
"""


@contextmanager
def collected_seldom() -> Iterator[None]:
    """Look less often than is usual, until the end."""
    young, *older = gc.get_threshold()
    gc.set_threshold(YOUNG, *older)
    try:
        yield
    finally:
        gc.set_threshold(young, *older)
