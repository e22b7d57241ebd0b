"""Which processes run on this machine."""

import os


def alive(pid: int) -> bool:
    """Say whether a process of that id runs here, whoever's it is."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
