"""The commands of docs/labels.md, as they stand there, from rows to a corrected rate."""

import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from schemas.alert import Alert
from schemas.calibration import Calibration
from streams.folder.topic import read

BIN = Path(sys.executable).parent
PAGE = Path(__file__).parents[3] / "docs" / "labels.md"
FLAGGED = 3
"""One row in so many says another hour than its evidence."""


def commands() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


def run(command: str, *, cwd: Path, code: int = 0) -> str:
    path = f"{BIN}{os.pathsep}{os.defpath}"
    done = subprocess.run(  # noqa: S602 - the page's own commands, as a reader's shell runs them
        command,
        shell=True,
        cwd=cwd,
        env={"PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == code, (command, done.stderr, done.stdout)
    return done.stdout


def put_rows(root: Path) -> None:
    """Put answers of the last 25 minutes, up to five ago, on the traces topic."""
    topic = root / "streamgauge-data" / "rag.traces"
    topic.mkdir(parents=True)
    begin = datetime.now(UTC) - timedelta(minutes=25)
    with (topic / "0.jsonl").open("w", encoding="utf-8") as out:
        for number in range(240):
            hour = "7 am" if number % FLAGGED == 0 else "10 am"
            row = {
                "trace_id": f"t-{number}",
                "service": "helpdesk",
                "answered_at": (begin + timedelta(seconds=5 * number)).isoformat(),
                "question": "When do you open?",
                "contexts": ["We open at 10 am on weekdays, and on Sundays at 11 am."],
                "answer": f"We open at {hour} on weekdays.",
            }
            out.write(json.dumps(row) + "\n")


def fill(file: Path, *, only: int | None = None) -> None:
    """Label as somebody who sees one answer in ten, and one in thirteen, otherwise."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for row in rows[:only]:
        number = int(row["trace_id"].removeprefix("t-"))
        flagged = number % FLAGGED == 0
        bad = number % 10 != 0 if flagged else number % 13 == 0
        row["label"] = "bad" if bad else "good"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.mark.service
def test_the_page_leads_from_rows_to_a_corrected_rate(tmp_path: Path) -> None:
    put_rows(tmp_path)
    score, pick, agree, calibrate, watch, show = commands()

    run(score, cwd=tmp_path)
    run(pick, cwd=tmp_path)
    fill(tmp_path / "labels.jsonl")
    agreement = json.loads(run(agree, cwd=tmp_path))
    run(calibrate, cwd=tmp_path)
    run(watch, cwd=tmp_path)
    shown = run(show, cwd=tmp_path)

    assert agreement["labelled"] == 200
    assert agreement["sensitivity"]["lower"] < 0.87 < agreement["sensitivity"]["upper"]
    made = Calibration.model_validate_json((tmp_path / "calibration.json").read_bytes())
    assert made.judges[0].sensitivity.value == pytest.approx(agreement["sensitivity"]["value"])
    alerts = [
        Alert.model_validate_json(record.value or b"")
        for record in read(tmp_path / "streamgauge-data", "rag.alerts")
    ]
    value = next(alert.value for alert in alerts if alert.rule == "bad-answers")
    assert value.rate is not None
    assert value.corrected is not None
    assert value.called == "bad rate"
    se, sp = made.judges[0].sensitivity.value, made.judges[0].specificity.value
    assert value.corrected == pytest.approx((value.rate + sp - 1) / (se + sp - 1))
    assert "corrected for the judge's errors" in shown


@pytest.mark.service
def test_what_cannot_be_done_is_said_in_a_line(tmp_path: Path) -> None:
    put_rows(tmp_path)
    score, pick, *_ = commands()
    run(score, cwd=tmp_path)
    run(pick, cwd=tmp_path)

    run(pick, cwd=tmp_path, code=2)  # it may hold labels by now
    other = "streamgauge labels pick --scorer faithfullness --out other.jsonl"
    mistyped = run(other, cwd=tmp_path, code=3)
    fill(tmp_path / "labels.jsonl", only=20)
    refused = run("streamgauge calibrate labels.jsonl", cwd=tmp_path, code=3)
    (tmp_path / "labels.jsonl").write_text("{}\n")
    wrong = run("streamgauge labels agree labels.jsonl 2>&1", cwd=tmp_path, code=2)
    watch = "STREAMGAUGE_WATCH__CALIBRATION=none.json streamgauge watch --once 2>&1"
    missing = run(watch, cwd=tmp_path, code=2)

    assert "verdicts are of faithfulness; did you mean faithfulness?" in mistyped
    assert "too few labels: 30 of each are needed, label " in refused
    assert not (tmp_path / "calibration.json").exists()
    assert wrong.startswith("labels.jsonl line 1: schema: ")
    assert "watch.calibration: cannot be read: No such file or directory: none.json" in missing
