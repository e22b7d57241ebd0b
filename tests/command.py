"""`streamgauge` as its users run it: a process of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from tests.kafka.broker import die_with_parent

STREAMGAUGE = str(Path(sys.executable).parent / "streamgauge")
NO_MORE: Mapping[str, str] = MappingProxyType({})


def streamgauge(*arguments: str, cwd: Path, code: int = 0) -> "subprocess.CompletedProcess[str]":
    """Run it to its end, which must be this exit code; return what it said."""
    done = subprocess.run(  # noqa: S603 - our own command
        [STREAMGAUGE, *arguments], cwd=cwd, capture_output=True, text=True, check=False, timeout=90
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


@contextmanager
def started(
    *arguments: str, cwd: Path, log: str = "log", variables: Mapping[str, str] = NO_MORE
) -> Iterator["subprocess.Popen[bytes]"]:
    """Start it and kill it at the end; it logs to a file of this name, behind what is there."""
    with (cwd / log).open("ab") as file:
        process = subprocess.Popen(  # noqa: S603 - our own command
            [STREAMGAUGE, *arguments],
            cwd=cwd,
            env={**os.environ, **variables},  # noqa: TID251 - a child's, with more
            stdout=file,
            stderr=file,
            preexec_fn=die_with_parent,
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
