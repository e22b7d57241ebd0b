"""A half that is told to stop."""

import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

from tests.command import STREAMGAUGE, started
from tests.streams.commands.traces import GOOD, rows

ANY_PORT = {"STREAMGAUGE_SERVE__PORT": "0"}


@pytest.mark.service
@pytest.mark.parametrize("command", ["score", "watch", "check"])
def test_a_command_that_waits_for_a_broker_says_that_it_stops(tmp_path: Path, command: str) -> None:
    """A broker that takes connections, and answers nobody."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        broker = f"kafka://127.0.0.1:{silent.getsockname()[1]}"
        with started(command, "--broker", broker, cwd=tmp_path, variables=ANY_PORT) as process:
            connection, _ = silent.accept()
            with connection:
                process.send_signal(signal.SIGTERM)
                code = process.wait(timeout=20)

    said = (tmp_path / "log").read_text()
    assert code == 143, said
    assert "SIGTERM came before it ran" in said
    assert "Traceback" not in said


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
        began = time.monotonic()

        assert half.wait(timeout=20) == 0
        assert time.monotonic() - began < 15
    finally:
        half.kill()
        half.communicate()
