"""The way in: whoever starts the command can stop it before it has read itself."""

import os
import signal
from types import FrameType


def main() -> None:
    """Run the command line. SIGTERM ends it at once, until a command listens for it itself.

    The kernel keeps from the first process of a container every signal that nobody listens for: one
    that came while modules are read would be lost, and the process killed a minute later.
    """
    signal.signal(signal.SIGTERM, _end)
    from streams.cli import main as command_line

    command_line()


def _end(number: int, _frame: FrameType | None) -> None:
    os._exit(128 + number)  # nothing has begun, so there is nothing to give back
