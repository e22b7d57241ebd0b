"""`score` and `watch` answer at an address while they run, and say so where they cannot."""

import json
import signal
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.command import started
from tests.kafka.proxy import free_port
from tests.kafka.waiting import eventually
from tests.streams.telemetry.exposed import labels, series

ROW = {
    "trace_id": "t-1",
    "service": "helpdesk",
    "contexts": ["We open at 10 am on weekdays."],
    "answer": "We open at 10 am on weekdays. [1]",
}


@contextmanager
def running(folder: Path, command: str, serve: str = "") -> Iterator["subprocess.Popen[bytes]"]:
    """Run a half on a folder with one row; it logs to COMMAND.log."""
    topic = folder / "data" / "rag.traces"
    topic.mkdir(parents=True, exist_ok=True)
    (topic / "0.jsonl").write_text(json.dumps(ROW) + "\n")
    settings = folder / f"{command}.yaml"
    settings.write_text(f"broker: folder:data\nsampling: {{probability: 1.0}}\n{serve}")
    log = f"{command}.log"
    with started(command, "--config", settings.name, cwd=folder, log=log) as process:
        yield process


def log_of(folder: Path, command: str) -> str:
    return (folder / f"{command}.log").read_text()


def page(port: int, path: str) -> str | None:
    """Return a page, None where it cannot be had."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            text: str = answer.read().decode()
            return text
    except OSError:
        return None


def answers(port: int, path: str, text: str) -> bool:
    return page(port, path) == text


@pytest.mark.service
async def test_both_halves_answer_while_they_run_and_stop_as_asked(tmp_path: Path) -> None:
    ports = {"score": free_port(), "watch": free_port()}
    scored = (
        "streamgauge_rows_scored_total",
        labels(assistant="helpdesk/production", scorer="faithfulness"),
    )
    with (
        running(tmp_path, "score", f"serve: {{port: {ports['score']}}}") as score,
        running(tmp_path, "watch", f"serve: {{port: {ports['watch']}}}") as watch,
    ):
        for port in ports.values():
            await eventually(partial(answers, port, "/readyz", "ok\n"))
            assert page(port, "/healthz") == "ok\n"

        def counted() -> bool:
            found = series(page(ports["score"], "/metrics") or "")
            return found.get(scored[0], {}).get(scored[1]) == 1

        await eventually(counted)
        assert "streamgauge_panes" in series(page(ports["watch"], "/metrics") or "")
        for process in (score, watch):
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=30) == 0


@pytest.mark.service
async def test_an_address_of_the_settings_that_is_taken_ends_it_with_one_line(
    tmp_path: Path,
) -> None:
    port = free_port()
    with running(tmp_path, "score", f"serve: {{port: {port}}}"):
        await eventually(lambda: page(port, "/healthz") is not None)

        with running(tmp_path, "watch", f"serve: {{port: {port}}}") as second:
            assert second.wait(timeout=30) == 1

    assert log_of(tmp_path, "watch") == (
        f"Taken: 127.0.0.1:{port} is in use: set serve.port, or STREAMGAUGE_SERVE__PORT={port + 1} "
        "for this process (0: any that is free)\n"
    )


@pytest.mark.service
async def test_a_collector_that_is_down_holds_up_neither_rows_nor_the_end(tmp_path: Path) -> None:
    nowhere = f"telemetry: {{otlp: 'http://127.0.0.1:{free_port()}'}}\nserve: {{port: 0}}\n"
    with running(tmp_path, "score", nowhere) as score:
        scores = tmp_path / "data" / "rag.scores" / "0.jsonl"
        await eventually(lambda: scores.exists() and b'"scored"' in scores.read_bytes())
        score.send_signal(signal.SIGTERM)
        assert score.wait(timeout=15) == 0

    assert "Traceback" not in log_of(tmp_path, "score")
