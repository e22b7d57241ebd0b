"""`streamgauge check` as a process, against endpoints on 127.0.0.1."""

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.judge_server import Heard, JudgeServer, Play, agree, completion, reply

pytestmark = pytest.mark.service

KEY = "sk-a-key-that-must-not-show"
ROW = {
    "service": "museum",
    "question": "When does it open?",
    "contexts": ["The museum opens at nine."],
    "answer": "It opens at nine.",
}


def strict_only(*formats: str) -> Callable[[Heard], Play]:
    """Refuse every format but these, as endpoints do that know less of the protocol."""

    def play(heard: Heard) -> Play:
        asked = heard.body.get("response_format", {"type": "plain"})["type"]
        if asked not in formats:
            return reply(f'{{"error": "response_format {asked} is not supported"}}', 422)
        verdict = {"id": 1, "reason": "so", "verdict": "yes"}
        return reply(completion({"verdicts": [verdict]}, model="judge-1-2026"))

    return play


async def check(
    folder: Path, url: str, *, key: str = "", code: int = 0, price: str = "", more: str = ""
) -> str:
    """Run the command on a minute's rows; return what it printed."""
    topic = folder / "log" / "rag.traces"
    topic.mkdir(parents=True, exist_ok=True)
    rows = [
        ROW | {"trace_id": f"t{n}", "answered_at": f"2026-01-01T12:00:{n:02}Z"} for n in (0, 30)
    ]
    (topic / "0.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    chat = f"chat: {{url: '{url}', model: judge-1, timeout: 2s{price}}}"
    (folder / "streamgauge.yaml").write_text(
        f"broker: folder:log\njudge: {{kind: chat, allow_private_addresses: true, {chat}}}\n{more}"
    )
    process = await asyncio.create_subprocess_exec(
        *(str(Path(sys.executable).with_name("streamgauge")), "check"),
        cwd=folder,
        env={"STREAMGAUGE_CHAT_KEY": key, "PATH": ""},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == code, out.decode() + err.decode()
    assert KEY not in out.decode() + err.decode()
    return out.decode()


async def test_a_judge_is_asked_once_and_named_with_what_it_takes_and_costs(
    tmp_path: Path,
) -> None:
    async with JudgeServer(lambda heard: reply(agree(heard))) as server:
        price = ", price: {input_per_million: 1, output_per_million: 2}"
        url, said = server.url, await check(tmp_path, server.url, price=price)

    assert len(server.heard) == 1
    assert f"judge chat: {url}/chat/completions answered in" in said
    assert "model judge-1: the reply names the same" in said
    assert "one question: 100 tokens in, 10 out, $0.000120" in said
    assert "replies: json_schema taken; their length as max_tokens" in said
    assert "traffic: about 2,880 rows a day, by 2 from" in said
    assert "cost: 1 % of the traffic is 29 rows a day: about $0.0" in said


@pytest.mark.parametrize(
    ("taken", "said"),
    [
        ("json_object", "replies: json_object taken, json_schema refused"),
        ("plain", "replies: plain text taken, json_schema and json_object refused"),
    ],
)
async def test_formats_that_were_refused_are_named(tmp_path: Path, taken: str, said: str) -> None:
    async with JudgeServer(strict_only(taken)) as server:
        printed = await check(tmp_path, server.url)

    assert said in printed
    assert "the reply names judge-1-2026" in printed
    assert "price not known: set judge.chat.price" in printed


async def test_a_refused_key_is_told_from_one_that_is_missing(tmp_path: Path) -> None:
    async with JudgeServer(lambda heard: reply(f"not {KEY}", 401)) as server:
        missing = await check(tmp_path, server.url, code=3)
        refused = await check(tmp_path, server.url, key=KEY, code=3)

    assert "answered 401: it wants a key, and none is set" in missing
    assert "answered 401: the key was refused" in refused
    assert "put one that it takes into STREAMGAUGE_CHAT_KEY" in refused


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("http://127.0.0.1:9/v1", "refused the connection: nothing listens there"),
        ("http://no-such-host.invalid/v1", "the name no-such-host.invalid has no address (DNS)"),
    ],
)
async def test_a_judge_that_is_not_there_is_named_with_what_happened(
    tmp_path: Path, url: str, what: str
) -> None:
    said = await check(tmp_path, url, code=3)

    assert f"judge chat: {url}/chat/completions " in said
    assert what in said
    assert "rows: 2 of the last 2 can be read" in said


async def test_scorers_that_could_judge_no_row_say_why(tmp_path: Path) -> None:
    async with JudgeServer(lambda heard: reply(agree(heard))) as server:
        on = "scorers: {faithfulness: null, citation_accuracy: null, factual_accuracy: {}}"
        more = f"{on}\nalerts: []"
        said = await check(tmp_path, server.url, more=more, code=3)

    assert "scorer factual_accuracy can judge 0 of 2 rows" in said
    assert "2 not: missing_reference" in said
    assert "no scorer can judge any of these rows" in said
