"""`streamgauge score FILE` with a cascade, as a process, against two endpoints on 127.0.0.1."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from tests.judge_server import Heard, JudgeServer, Play, agree, reply

pytestmark = pytest.mark.service

ROW = {
    "trace_id": "t-1",
    "service": "mill",
    "contexts": [
        "The mill opens at ten on weekdays, and visitors pay at the desk before the tour begins."
    ],
    "answer": "The mill opens at ten on weekdays. The visitors usually pay before seeing the mill. "
    "The tour begins at the desk of the quiet mill.",
}


def play(heard: Heard) -> Play:
    """Answer the first claim of a decisions request, and leave the others open."""
    if heard.path.endswith("/chat/completions"):
        return reply(agree(heard, "no"))
    answers = {}
    for n, name in enumerate(heard.body["questions"]):
        supported = 0.9 if n == 0 else 0.5
        p = {"supported": supported, "contradicted": 0.0, "not_stated": 1 - supported}
        answers[name] = {"choice": "supported", "probabilities": p}
    return reply(json.dumps({"model": "jev-1", "answers": answers}))


async def test_each_judge_is_asked_what_the_one_before_left_open(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROW))
    async with JudgeServer(play) as server:
        (tmp_path / "streamgauge.yaml").write_text(
            f"""
judge:
  kind: cascade
  allow_private_addresses: true
  decisions: {{url: '{server.url}', model: jev-1}}
  chat: {{url: '{server.url}', model: judge-1}}
scorers: {{faithfulness: {{}}, citation_accuracy: null}}
alerts: []
"""
        )
        process = await asyncio.create_subprocess_exec(
            *(str(Path(sys.executable).with_name("streamgauge")), "score", "rows.jsonl", "--json"),
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
        )
        out, _ = await process.communicate()

    event = json.loads(out)
    claims = event["outcome"]["breakdown"]["claims"]
    assert [claim["decided_by"] for claim in claims] == ["rules", "decisions", "chat"]
    assert event["judge"] == {
        "name": "rules+decisions+chat",
        "version": "1",
        "model": "jev-1+judge-1",
        "resolved": "jev-1+judge-1",
    }
    assert event["series"] == event["config_hash"]
    counts = event["outcome"]["counts"]
    assert (counts["escalated_decisions"], counts["escalated_chat"]) == (2, 1)
    assert [heard.path for heard in server.heard] == ["/v1/systemone", "/v1/chat/completions"]
