"""`streamgauge score FILE` with a chat judge, as a process, against an endpoint on 127.0.0.1."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.judge_server import Heard, JudgeServer, Play, agree, completion, reply

pytestmark = pytest.mark.service

ROW = {
    "trace_id": "t-1",
    "service": "museum",
    "question": "When does it open?",
    "contexts": ["The museum opens at nine."],
    "answer": "It opens at nine. The café opens at ten.",
    "reference": "It opens at nine.",
}
KEY = "sk-a-key-that-must-not-show"


async def score(
    tmp_path: Path, server: JudgeServer, settings: str, *, code: int = 0
) -> tuple[list[Any], str]:
    """Run the command; return its events and what it logged."""
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROW))
    chat = f"chat: {{url: '{server.url}', model: judge-1, timeout: 5s}}"
    (tmp_path / "streamgauge.yaml").write_text(
        f"judge: {{kind: chat, allow_private_addresses: true, {chat}}}\nalerts: []\n{settings}"
    )
    process = await asyncio.create_subprocess_exec(
        *(str(Path(sys.executable).with_name("streamgauge")), "score", "rows.jsonl", "--json"),
        cwd=tmp_path,
        env={"STREAMGAUGE_CHAT_KEY": KEY, "PATH": ""},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == code, err.decode()
    return [json.loads(line) for line in out.splitlines()], err.decode()


async def test_a_file_is_judged_by_the_model_that_the_settings_name(tmp_path: Path) -> None:
    async with JudgeServer(lambda heard: reply(agree(heard))) as server:
        [event], logged = await score(
            tmp_path, server, "scorers: {faithfulness: {}, citation_accuracy: null}"
        )

    [heard] = server.heard
    assert heard.path == "/v1/chat/completions"
    assert heard.headers["authorization"] == f"Bearer {KEY}"
    assert event["judge"] == {
        "name": "chat",
        "version": "2",
        "model": "judge-1",
        "resolved": "judge-1",
    }
    assert event["outcome"]["counts"]["supported"] == 2
    assert (event["usage"]["attempts"], event["usage"]["input_tokens"]) == (1, 100)
    assert KEY not in json.dumps(event) + logged


async def test_claims_that_the_judge_takes_out_cost_one_more_call(tmp_path: Path) -> None:
    def play(heard: Heard) -> Play:
        if heard.step == "extract":
            return reply(completion({"claims": ["It opens at nine.", "It opens daily."]}))
        return reply(agree(heard, "no" if "daily" in heard.user else "yes"))

    async with JudgeServer(play) as server:
        [event], _ = await score(
            tmp_path,
            server,
            "scorers: {faithfulness: {claims: judge, keep_prompts: true, claims_per_call: 1},"
            " citation_accuracy: null}",
        )

    assert [heard.step for heard in server.heard] == ["extract", "verify", "verify"]
    outcome = event["outcome"]
    assert outcome["label"] == "contradicted"
    assert [prompt["subject"] for prompt in outcome["breakdown"]["prompts"]] == [
        "ExtractClaims",
        "VerifyClaims",
        "VerifyClaims",
    ]


async def test_consistency_asks_the_listed_assistant_again_and_marks_it_as_a_probe(
    tmp_path: Path,
) -> None:
    def play(heard: Heard) -> Play:
        if heard.path == "/ask":
            return reply(json.dumps({"said": "At nine."}))
        said = {"explanation": "the same", "label": "Consistent", "score": 0.9}
        return reply(completion(said))

    async with JudgeServer(play) as server:
        url = server.url.replace("/v1", "/ask")
        [event], _ = await score(
            tmp_path,
            server,
            "scorers: {faithfulness: null, citation_accuracy: null, factual_consistency: {}}\n"
            f"assistants: {{museum/production: {{url: '{url}', body: {{q: '{{query}}'}},"
            " answer: said, per_minute: 6000}}",
        )

    probes = [heard for heard in server.heard if heard.path == "/ask"]
    assert len(probes) == 2
    assert {probe.headers["baggage"] for probe in probes} == {"streamgauge.probe=1"}
    assert event["outcome"]["normalized"] == pytest.approx(0.9)


async def test_a_judge_that_fails_is_an_error_with_its_cause_and_no_score(tmp_path: Path) -> None:
    async with JudgeServer(lambda heard: reply("no", 400)) as server:
        [event], _ = await score(
            tmp_path, server, "scorers: {faithfulness: {}, citation_accuracy: null}", code=3
        )

    assert event["outcome"] == {
        "status": "error",
        "error": {"kind": "judge_failed", "cause": "http_400", "violations": None},
    }
    assert len(server.heard) == 1
