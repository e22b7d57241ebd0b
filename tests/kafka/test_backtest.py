"""`streamgauge backtest` on a real broker, with and without the marks of the time."""

import json
from pathlib import Path
from typing import Any

import pytest

from schemas.mark import Mark
from schemas.score import ScoreEvent
from schemas.tally import Tally
from streams.address import Topics
from tests.kafka.cluster_admin import put, read_all
from tests.kafka.command import run
from tests.kafka.flow import prepare
from tests.streams.watch.records import a_mark, a_score, a_tally, bad, good

pytestmark = pytest.mark.service

RULES = """alerts:
  - {name: bad-answers, kind: threshold, scorer: faithfulness, above: 0.1, window: 15m, min_n: 10}
"""
ASSISTANTS = ("shop/production", "bank/production")
HOUR, STEP = 3600, 20


def hours(assistant: str, *, worse: bool) -> tuple[list[ScoreEvent | Tally], list[Mark]]:
    """Return three hours of an assistant's scores, in the second of which answers may be worse."""
    scores: list[ScoreEvent | Tally] = []
    marks = []
    for second in range(0, 3 * HOUR, STEP):
        row = second // STEP
        wrong = worse and HOUR <= second < 2 * HOUR and row % 2 == 0
        scores.append(a_score(row, second, bad() if wrong else good(), assistant=assistant))
        tally = a_tally(second - second % 60, rows=(row, row + 1), assistant=assistant)
        scores.append(tally)
        marks.append(a_mark(second + 5, scores=len(scores)))
    return scores, marks


def backtest(kafka: str, folder: Path, topics: Topics, *more: str) -> list[dict[str, Any]]:
    (folder / "rules.yaml").write_text(RULES)
    done = run(kafka, folder, topics, "backtest", "rules.yaml", *more)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


async def test_rules_are_asked_of_all_partitions_by_marks_and_without_them(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    await prepare(kafka, topics, 0, partitions=2)
    told = []
    for partition, assistant in enumerate(ASSISTANTS):
        scores, marks = hours(assistant, worse=partition == 1)
        await put(kafka, topics.scores, [one.to_json() for one in scores], partition=partition)
        told.append([one.to_json() for one in marks])

    made = backtest(kafka, tmp_path, topics)
    for partition, values in enumerate(told):
        await put(kafka, topics.marks, values, partition=partition)
    marked = backtest(kafka, tmp_path, topics)

    for found in (made, marked):
        [episode, summary] = found
        assert episode["labels"]["service_name"] == "bank"
        assert episode["fired_at"][:13] == "2026-03-01T01"
        assert episode["resolved_at"][:13] == "2026-03-01T02"
        assert summary["scores"] == 2 * 3 * HOUR / STEP
    assert made[0]["steps"] == marked[0]["steps"]
    assert made[1]["time_made_until"] is not None
    assert marked[1]["time_made_until"] is None
    assert await read_all(kafka, topics.alerts) == []


async def test_rules_are_asked_of_a_run_in_the_time_of_its_rows(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    await prepare(kafka, topics, 0, partitions=2)
    for partition, assistant in enumerate(ASSISTANTS):
        scores, _ = hours(assistant, worse=partition == 1)
        live = [one.to_json() for one in scores]
        replayed = [one.model_copy(update={"run": "r"}).to_json() for one in reversed(scores)]
        await put(kafka, topics.scores, live + replayed, partition=partition)

    [asked, summary] = backtest(kafka, tmp_path, topics, "--run", "r")

    [told, _] = backtest(kafka, tmp_path, topics)
    assert asked["steps"] == told["steps"]
    assert summary["scores"] == 2 * 3 * HOUR / STEP
    assert summary["end"] == "2026-03-01T03:01:00.000Z"


async def test_topics_without_scores_are_told_of(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    await prepare(kafka, topics, 0, partitions=2)
    (tmp_path / "rules.yaml").write_text(RULES)

    done = run(kafka, tmp_path, topics, "backtest", "rules.yaml")

    assert done.returncode == 3
    assert "no scores of that time" in done.stderr
