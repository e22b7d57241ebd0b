"""A half that is told to stop."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.command import STREAMGAUGE
from tests.streams.commands.traces import GOOD, rows


@pytest.mark.service
@pytest.mark.parametrize("command", ["score", "watch"])
def test_a_half_that_is_told_to_stop_leaves_with_success(tmp_path: Path, command: str) -> None:
    topic = tmp_path / "log" / "rag.traces"
    topic.mkdir(parents=True)
    (topic / "0.jsonl").write_text(rows(GOOD))
    half = subprocess.Popen(  # noqa: S603 - our own command
        [STREAMGAUGE, command, "--broker", "folder:log"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert half.stderr is not None
        assert any('"running"' in line for line in iter(half.stderr.readline, ""))

        half.send_signal(signal.SIGTERM)
        started = time.monotonic()

        assert half.wait(timeout=20) == 0
        assert time.monotonic() - started < 15
    finally:
        half.kill()
        half.communicate()
