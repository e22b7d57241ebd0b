"""`streamgauge score` with a collector: what it is told, and what a bad one costs."""

import signal
import time
from functools import partial
from pathlib import Path

import pytest

from tests.command import started
from tests.kafka.proxy import free_port
from tests.kafka.waiting import eventually
from tests.streams.telemetry.collector import collector
from tests.streams.telemetry.exposed import series
from tests.streams.telemetry.laid import lay_rows
from tests.streams.telemetry.received import carriers_in, events_in, spans_in
from tests.streams.telemetry.told import TRACE_ID
from tests.streams.test_served import page

ROWS = 40


def a_folder(path: Path, telemetry: str) -> Path:
    """Return a folder with rows of hex ids, and settings that judge them all."""
    lay_rows(path, ROWS)
    (path / "settings.yaml").write_text(
        "broker: folder:data\nsampling: {probability: 1.0}\n" + telemetry
    )
    return path


def written(folder: Path) -> int:
    """Return how many scores are written."""
    scores = folder / "data" / "rag.scores" / "0.jsonl"
    lines = scores.read_text().splitlines() if scores.exists() else []
    return sum('"kind":"score"' in line for line in lines)


@pytest.mark.service
async def test_scores_are_told_of_in_the_contexts_of_the_spans_that_were_scored(
    tmp_path: Path,
) -> None:
    async with collector() as (url, taken):
        folder = a_folder(tmp_path, f"telemetry: {{otlp: '{url}'}}\nserve: {{port: 0}}")
        with started("score", "--config", "settings.yaml", cwd=folder) as score:
            await eventually(lambda: written(folder) == 2 * ROWS)
            score.send_signal(signal.SIGTERM)
            await eventually(lambda: score.poll() == 0)

    logs, carriers = events_in(taken), carriers_in(taken)
    scored = {f"{int(TRACE_ID, 16) + number:032x}" for number in range(ROWS)}
    assert {record.trace_id.hex() for record in logs} == scored
    assert {span.links[0].trace_id.hex() for span in carriers} == scored
    assert len(logs) == len(carriers) == 2 * ROWS
    assert "process rag.traces" in {span.name for span in spans_in(taken)}


@pytest.mark.service
@pytest.mark.parametrize("bad", ["hangs", "refuses", "is gone"])
async def test_a_bad_collector_costs_signals_and_neither_rows_nor_time(
    bad: str, tmp_path: Path
) -> None:
    async with collector(answers=bad != "hangs", status="503 Busy") as (url, _):
        url = f"http://127.0.0.1:{free_port()}" if bad == "is gone" else url
        port = free_port()
        folder = a_folder(tmp_path, f"serve: {{port: {port}}}")
        with started(
            "score", "--config", "settings.yaml", cwd=folder,
            variables={"OTEL_EXPORTER_OTLP_ENDPOINT": url},
        ) as score:  # fmt: skip
            await eventually(lambda: written(folder) == 2 * ROWS)
            await eventually(partial(has_lost, port, 2 * ROWS))
            asked = time.monotonic()
            score.send_signal(signal.SIGTERM)
            await eventually(lambda: score.poll() == 0)

    assert time.monotonic() - asked < 15
    assert "telemetry_lost" in (folder / "log").read_text()


def has_lost(port: int, least: int) -> bool:
    """Say whether so many signals of each kind are counted as lost."""
    found = series(page(port, "/metrics") or "").get("streamgauge_telemetry_lost_total", {})
    return sum(found.values()) >= 2 * least
