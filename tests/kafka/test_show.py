"""`streamgauge show` on a real broker."""

from pathlib import Path

import pytest

from streams.address import Topics
from tests.fakes import a_trace
from tests.kafka.cluster_admin import put
from tests.kafka.command import run
from tests.kafka.flow import prepare

pytestmark = pytest.mark.service


async def test_a_trace_is_shown_with_its_row_and_its_verdicts(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    await prepare(kafka, topics, 0, partitions=2)
    bad = a_trace("Paris has 900 towers.", id="t-7", contexts=["Paris has 12 towers."]).to_json()
    others = [a_trace(id=f"t-7{n}").to_json() for n in range(20)]
    await put(kafka, topics.traces, [*others[:5], bad, *others[5:]], partition=1)
    assert run(kafka, tmp_path, topics, "score", "--once").returncode == 0

    shown = run(kafka, tmp_path, topics, "show", "t-7")

    assert shown.returncode == 0, shown.stderr
    assert f"row {topics.traces}/1/5" in shown.stdout
    assert "answer: Paris has 900 towers." in shown.stdout
    assert "faithfulness: sampled" in shown.stdout
    assert "faithfulness by rules: BAD" in shown.stdout
    assert "contradicted" in shown.stdout


async def test_a_row_without_a_score_is_found_by_its_id(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    await prepare(kafka, topics, 0, partitions=1)
    await put(kafka, topics.traces, [a_trace(id="t-7").to_json(), b"not json"], partition=0)

    shown = run(kafka, tmp_path, topics, "show", "t-7")

    assert shown.returncode == 0, shown.stderr
    assert f"row {topics.traces}/0/0" in shown.stdout
    assert "no score of it yet" in shown.stdout


async def test_what_is_nowhere_is_not_found_and_no_alert_is_no_failure(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    await prepare(kafka, topics, 0, partitions=1)

    nothing = run(kafka, tmp_path, topics, "show", "t-7")
    alert = run(kafka, tmp_path, topics, "show", "last-alert")

    assert (nothing.returncode, alert.returncode) == (3, 3)
    assert "neither a trace nor an alert: t-7" in nothing.stdout
    assert "no alert yet" in alert.stdout


def test_a_broker_that_is_not_there_is_told_in_one_line(topics: Topics, tmp_path: Path) -> None:
    done = run("127.0.0.1:9", tmp_path, topics, "show", "t-7")

    assert done.returncode == 1
    assert "no Kafka answers: 127.0.0.1:9 refuses" in done.stderr
    assert "Traceback" not in done.stderr
