"""Scores on a real broker, written to another system by a group of its own."""

import json
from pathlib import Path

import pytest

from streams.address import Topics
from tests.command import started
from tests.kafka.cluster_admin import commits_of, make_all, put, read_all
from tests.kafka.command import settings
from tests.kafka.processes import spread, traces
from tests.kafka.waiting import eventually
from tests.streams.sinks.sink_server import system
from tests.streams.test_sinks import KEYS, ids

ROWS, PARTITIONS = 24, 2


@pytest.mark.service
async def test_a_system_gets_every_score_once_over_two_lives(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    await make_all(kafka, topics, partitions=PARTITIONS)
    group = f"{topics.traces}.group-langfuse"

    async with system() as langfuse:
        sink = {"kind": "langfuse", "url": langfuse.url, "allow_private_addresses": True}
        more = (
            f"scorers: {{citation_accuracy: null}}\nserve: {{port: 0}}\nsinks: {json.dumps([sink])}"
        )
        settings(kafka, tmp_path, topics, more)
        for life in range(2):
            values = traces(ROWS, first=life * ROWS)
            for number, share in enumerate(spread(values, PARTITIONS)):
                await put(kafka, topics.traces, share, partition=number)
            with started("score", "--once", cwd=tmp_path, variables=KEYS) as score:
                await eventually(lambda: score.poll() is not None, within=60)
                assert score.returncode == 0, (tmp_path / "log").read_text()

    assert len(ids(langfuse)) == len(set(ids(langfuse))) == 2 * ROWS
    committed = await commits_of(kafka, group, topics.scores)
    written = await read_all(kafka, topics.scores)
    assert sum(offset for offset, _ in committed.values()) == len(written)
