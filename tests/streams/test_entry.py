"""The way into the command."""

import signal
import subprocess
import sys

import pytest

SLOW_TO_READ = """\
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "streams.cli":
            print("reading", flush=True)
            sys.stdin.read()
sys.meta_path.insert(0, Finder())
from streams.entry import main
main()
"""


@pytest.mark.service
def test_a_command_that_is_told_to_stop_while_it_reads_itself_ends_at_once() -> None:
    process = subprocess.Popen(  # noqa: S603 - our own way in
        [sys.executable, "-c", SLOW_TO_READ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "reading\n"

        process.send_signal(signal.SIGTERM)

        assert process.wait(timeout=20) == 143
    finally:
        process.kill()
        process.communicate()
