"""`streamgauge score` with a budget, as a process, against an endpoint on 127.0.0.1."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from streams.scoring.budget import START
from tests.judge_server import JudgeServer, agree, reply

pytestmark = pytest.mark.service

ROWS = 300


def a_row(number: int) -> str:
    row = {
        "trace_id": f"t-{number}",
        "service": "museum",
        "question": "When does it open?",
        "contexts": ["The museum opens at nine."],
        "answer": "It opens at nine.",
    }
    return json.dumps(row) + "\n"


def lines(topic: Path) -> list[Any]:
    return [json.loads(line)["value"] for line in (topic / "0.jsonl").read_text().splitlines()]


async def test_a_budget_lowers_what_is_drawn_and_the_topic_tells_all_of_it(tmp_path: Path) -> None:
    (tmp_path / "log" / "rag.traces").mkdir(parents=True)
    (tmp_path / "log" / "rag.traces" / "0.jsonl").write_text("".join(map(a_row, range(ROWS))))
    async with JudgeServer(lambda heard: reply(agree(heard))) as server:
        (tmp_path / "streamgauge.yaml").write_text(
            "broker: folder:log\n"
            "sampling: {probability: 1}\n"
            "scorers: {citation_accuracy: null}\n"
            f"judge: {{kind: chat, chat: {{url: '{server.url}', model: m}},"
            " budget: {calls_per_hour: 100}, allow_private_addresses: true}\n"
        )
        process = await asyncio.create_subprocess_exec(
            *(str(Path(sys.executable).with_name("streamgauge")), "score", "--once"),
            cwd=tmp_path,
            stderr=asyncio.subprocess.PIPE,
        )
        _, logged = await process.communicate()

    assert process.returncode == 0, logged.decode()
    written = lines(tmp_path / "log" / "rag.scores")
    events = [one for one in written if one["kind"] == "score"]
    strata = [one["strata"]["base"] for one in written if one["kind"] == "tally"]
    [probability] = {event["sampling"]["probability"] for event in events}
    assert probability == START
    assert {one["scorers"]["faithfulness"]["probability"] for one in strata} == {probability}
    assert 0 < len(events) == len(server.heard) < 60
    assert sum(one["seen"] for one in strata) == ROWS
    assert sum(one["shed"] for one in strata) == ROWS - len(events)
