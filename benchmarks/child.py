"""A server in a process of its own: what it costs is not counted as ours."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def child(*arguments: str, quiet: bool = False) -> Iterator[str]:
    """Yield the address of `python ARGUMENTS`, which prints its port first, and end it behind.

    `quiet`: its errors are not shown.
    """
    with subprocess.Popen(  # noqa: S603 - our own modules
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if quiet else None,
        text=True,
    ) as process:
        try:
            assert process.stdout  # noqa: S101 - a pipe was asked for
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()
