"""`streamgauge score` on a real broker, as its users run it."""

from pathlib import Path

import pytest

from schemas.score import ScoreEvent
from streams.address import EVENT_ID, Topics
from tests.kafka.cluster_admin import put, read_all
from tests.kafka.command import run
from tests.kafka.flow import prepare

ROW = (
    b'{"trace_id": "t-1", "service": "helpdesk", "contexts": ["We open at 10 am on weekdays."],'
    b' "answer": "We open at 10 am on weekdays. [1]"}'
)


@pytest.mark.service
async def test_rows_on_kafka_are_scored_once_however_often_the_command_runs(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    await prepare(kafka, topics, 0, partitions=1)
    await put(kafka, topics.traces, [ROW, b"not json"], partition=0)

    first = run(kafka, tmp_path, topics, "score", "--once")
    second = run(kafka, tmp_path, topics, "score", "--once")

    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    scores = await read_all(kafka, topics.scores)
    events = [
        ScoreEvent.model_validate_json(r.value or b"")
        for r in scores
        if EVENT_ID in dict(r.headers)
    ]
    assert {event.scorer.name for event in events} == {"faithfulness", "citation_accuracy"}
    assert len(events) == 2
    assert [letter.value for letter in await read_all(kafka, topics.dead)] == [b"not json"]


@pytest.mark.service
async def test_an_end_that_never_comes_for_want_of_topics_is_refused(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    refused = run(kafka, tmp_path, topics, "score", "--once")

    assert refused.returncode == 2
    assert f"no topic {topics.traces}, {topics.scores}: run" in refused.stderr
