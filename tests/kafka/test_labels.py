"""`streamgauge labels pick` on a real broker: texts are found again by the origins of scores."""

import json
from pathlib import Path

import pytest

from schemas.label import LabelRow
from streams.address import Topics
from tests.fakes import a_trace
from tests.kafka.cluster_admin import put
from tests.kafka.command import run
from tests.kafka.flow import prepare

pytestmark = pytest.mark.service


async def test_picked_answers_come_with_their_texts_from_every_partition(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    await prepare(kafka, topics, 0, partitions=2)
    answers = ["Paris has 900 towers.", "Paris has 12 towers."]
    for number, partition in enumerate((0, 1, 0, 1)):
        answer = answers[number % 3 > 0]
        row = a_trace(answer, id=f"t-{number}", contexts=["Paris has 12 towers."])
        await put(kafka, topics.traces, [row.to_json()], partition=partition)
    assert run(kafka, tmp_path, topics, "score", "--once").returncode == 0

    picked = run(kafka, tmp_path, topics, "labels", "pick", "--scorer", "faithfulness")

    assert picked.returncode == 0, picked.stderr
    lines = (tmp_path / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    rows = {row.trace_id: row.answer for row in map(LabelRow.model_validate_json, lines)}
    assert rows == {
        "t-0": answers[0],
        "t-1": answers[1],
        "t-2": answers[1],
        "t-3": answers[0],
    }
    assert all(json.loads(line)["label"] is None for line in lines)
