"""`streamgauge score` with other systems that scores are written to."""

import json
import signal
from pathlib import Path

import pytest

from tests.command import started
from tests.kafka.waiting import eventually
from tests.streams.sinks.sink_server import System, system
from tests.streams.telemetry.laid import lay_rows

KEYS = {
    "STREAMGAUGE_SINK_LANGFUSE_KEY": "pk-lf-1:sk-lf-1",
    "STREAMGAUGE_SINK_PHOENIX_KEY": "px",
}
ROWS = 5


def a_folder(path: Path, **sinks: str) -> Path:
    """Return a folder with rows, and settings with these sinks."""
    lay_rows(path, ROWS)
    told = [
        {"kind": kind, "url": url, "allow_private_addresses": True} for kind, url in sinks.items()
    ]
    settings = {
        "broker": "folder:data",
        "sampling": {"probability": 1.0},
        "scorers": {"citation_accuracy": None},
        "serve": {"port": 0},
        "sinks": told,
    }
    (path / "settings.yaml").write_text(json.dumps(settings))
    return path


async def run(folder: Path, *options: str, code: int = 0) -> None:
    """Run `score` to its end."""
    command = ("score", "--config", "settings.yaml", *options)
    with started(*command, cwd=folder, variables=KEYS) as score:
        await eventually(lambda: score.poll() is not None)
        assert score.returncode == code, (folder / "log").read_text()


def ids(here: System) -> list[str]:
    """Return our ids of the scores that were taken."""
    found = [body.get("id") or body["data"][0]["identifier"] for _, body in here.taken]
    return sorted(map(str, found))


@pytest.mark.service
async def test_both_systems_get_each_score_once_and_a_second_run_sends_nothing_again(
    tmp_path: Path,
) -> None:
    async with system() as langfuse, system() as phoenix:
        phoenix.refusals = ["404 Not Found", "503 Busy"]
        folder = a_folder(tmp_path, langfuse=langfuse.url, phoenix=phoenix.url)
        await run(folder, "--once")
        first = ids(langfuse)
        await run(folder, "--once")

    assert len(set(first)) == ROWS
    assert ids(langfuse) == ids(phoenix) == first
    assert langfuse.keys == {"Basic cGstbGYtMTpzay1sZi0x"}
    assert phoenix.keys == {"Bearer px"}


@pytest.mark.service
async def test_a_system_that_is_down_gets_everything_when_it_is_back_and_holds_no_row_up(
    tmp_path: Path,
) -> None:
    async with system() as langfuse:
        langfuse.refusals = ["503 Busy"] * 10_000
        folder = a_folder(tmp_path, langfuse=langfuse.url)
        scores = folder / "data" / "rag.scores" / "0.jsonl"
        with started("score", "--config", "settings.yaml", cwd=folder, variables=KEYS) as score:
            await eventually(
                lambda: scores.exists() and scores.read_text().count('"kind":"score"') == ROWS
            )
            await eventually(lambda: langfuse.asked >= ROWS)
            score.send_signal(signal.SIGTERM)
            await eventually(lambda: score.poll() == 0)
        assert langfuse.taken == []
        langfuse.refusals = []
        await run(folder, "--once")

    assert len(ids(langfuse)) == len(set(ids(langfuse))) == ROWS
    assert "sink_waits" in (folder / "log").read_text()


@pytest.mark.service
async def test_a_key_that_is_missing_is_said_at_start(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, langfuse="http://127.0.0.1:9")
    with started("score", "--once", "--config", "settings.yaml", cwd=folder) as score:
        await eventually(lambda: score.poll() is not None)

    assert score.returncode == 2
    assert "STREAMGAUGE_SINK_LANGFUSE_KEY" in (folder / "log").read_text()
