"""Rows in every encoding on a real broker."""

from pathlib import Path

import pytest

from schemas.score import ScoreEvent
from streams.address import EVENT_ID, Topics
from tests.kafka.cluster_admin import producer_of, read_all
from tests.kafka.command import run
from tests.kafka.flow import prepare
from tests.streams.intake.enveloped import AVRO, EVERY

HEADER = ("content-type", b"application/avro")


@pytest.mark.service
async def test_rows_are_scored_whatever_they_are_in_and_the_rest_keeps_its_headers(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    await prepare(kafka, topics, 0, partitions=1)
    async with producer_of(kafka) as producer:
        for one in EVERY:
            await producer.send_and_wait(topics.traces, one.value, headers=list(one.headers))
        await producer.send_and_wait(topics.traces, AVRO, headers=[HEADER])

    done = run(kafka, tmp_path, topics, "score", "--once", more="intake: {encoding: auto}")

    assert done.returncode == 0, done.stderr
    events = [
        ScoreEvent.model_validate_json(record.value or b"")
        for record in await read_all(kafka, topics.scores)
        if EVENT_ID in dict(record.headers)
    ]
    assert {event.trace.trace_id for event in events} == {one.trace_id for one in EVERY}
    (letter,) = await read_all(kafka, topics.dead)
    headers = dict(letter.headers)
    assert (letter.value, headers["streamgauge-reason"]) == (AVRO, b"unsupported_encoding")
    assert headers["original-content-type"] == b"application/avro"
