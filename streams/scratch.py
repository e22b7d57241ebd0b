"""A database of a process's own, for what memory should not hold.

SQLite keeps it in a temporary file without a name, in the folder that TMPDIR names, and it is gone
with the process whatever ends that.
"""

import sqlite3

_NAMELESS = ""
_KIB_IN_MEMORY = 32 * 1024


class DiskFullError(OSError):
    """The disk is full."""


def scratch(tables: str, *, any_thread: bool = False) -> sqlite3.Connection:
    """Return such a database with these tables, for its opener's thread or for any, one at a time.

    Outside of BEGIN and COMMIT each statement is committed at once. One that finds no room raises
    sqlite3.OperationalError.
    """
    kept = sqlite3.connect(_NAMELESS, check_same_thread=not any_thread, isolation_level=None)
    kept.execute(f"PRAGMA cache_size = -{_KIB_IN_MEMORY}")
    kept.execute("PRAGMA synchronous = OFF")
    kept.execute("PRAGMA journal_mode = OFF")
    kept.executescript(tables)
    return kept
