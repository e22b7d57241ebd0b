"""`streamgauge score FILE` where the evidence is longer than the judge can read, as a process."""

import asyncio
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.judge_server import Heard, JudgeServer, Play, completion, reply

pytestmark = pytest.mark.service

FILL = " ".join(f"Room {n} of the mill is open to visitors on weekdays." for n in range(6_000))
FACT = "The mill was built in 1782 by Anna Fall."
LETTERS = 20_000
"""Of a request that the judge on 127.0.0.1 can read: some 5,000 tokens."""

TOO_LONG = json.dumps({"error": {"code": "context_length_exceeded", "message": "too many tokens"}})


def row(**fields: object) -> dict[str, object]:
    return {
        "trace_id": "t-1",
        "service": "mill",
        "question": "When was it built?",
        "contexts": [{"key": "hall", "text": FILL}, {"key": "deed", "text": f"{FILL} {FACT}"}],
        "answer": FACT,
        **fields,
    }


def contexts_of(heard: Heard) -> list[Mapping[str, Any]]:
    """Return the passages that a request quotes."""
    found = re.search(r" contexts>>\n(.*)\n<<end ", heard.user)
    assert found is not None
    passages: list[Mapping[str, Any]] = json.loads(found[1])
    return passages


def by_fact(heard: Heard) -> Play:
    """Say yes with a quote where the fact stands, unsure elsewhere; refuse what is too long."""
    if len(heard.raw) > LETTERS:
        return reply(TOO_LONG, 400)
    held = next((one for one in contexts_of(heard) if FACT in str(one)), None)
    verdict: dict[str, object] = {"reason": "so", "verdict": "unsure"}
    if held is not None:
        verdict |= {"verdict": "yes", "quote": FACT, "source": held["key"]}
    return reply(completion({"verdicts": [{"id": n, **verdict} for n in heard.claims]}))


async def score(
    tmp_path: Path,
    server: JudgeServer,
    trace: Mapping[str, object],
    *,
    chat: str = "context_tokens: 8k",
    more: str = "scorers: {faithfulness: {}, citation_accuracy: null}",
    code: int = 0,
) -> dict[str, Any]:
    """Run the command on one row; return its event."""
    (tmp_path / "rows.jsonl").write_text(json.dumps(trace))
    (tmp_path / "streamgauge.yaml").write_text(
        "judge: {kind: chat, allow_private_addresses: true, "
        f"chat: {{url: '{server.url}', model: judge-1, {chat}}}}}\nalerts: []\n{more}"
    )
    process = await asyncio.create_subprocess_exec(
        *(str(Path(sys.executable).with_name("streamgauge")), "score", "rows.jsonl", "--json"),
        cwd=tmp_path,
        env={"PATH": ""},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == code, err.decode()
    event: dict[str, Any] = json.loads(out)
    return event


async def test_a_fact_in_the_last_chunk_of_600_thousand_characters_is_found(
    tmp_path: Path,
) -> None:
    assert len(FILL) > 300_000

    async with JudgeServer(by_fact) as server:
        event = await score(tmp_path, server, row())

    [claim] = event["outcome"]["breakdown"]["claims"]
    assert (claim["verdict"], claim["evidence"]) == ("yes", {"key": "deed", "quote": FACT})
    assert claim["flags"] == ["chunked"]
    assert claim["chunks"] == len(server.heard) == event["usage"]["calls"] > 50
    assert event["usage"]["input_tokens"] == 100 * len(server.heard)
    assert server.most <= 4
    read = "".join(str(one["text"]) for heard in server.heard for one in contexts_of(heard))
    assert all(f"Room {n} of the mill" in read for n in range(6_000))


async def test_a_judge_that_reads_less_than_the_settings_say_is_asked_in_smaller_chunks(
    tmp_path: Path,
) -> None:
    contexts = [{"key": "deed", "text": f"{FILL[:60_000]} {FACT}"}]

    async with JudgeServer(by_fact) as server:
        event = await score(tmp_path, server, row(contexts=contexts), chat="context_tokens: 32k")

    [claim] = event["outcome"]["breakdown"]["claims"]
    refused = sum(len(heard.raw) > LETTERS for heard in server.heard)
    assert (claim["verdict"], claim["evidence"]["key"]) == ("yes", "deed")
    assert refused > 0
    assert claim["chunks"] == len(server.heard) - refused
    assert event["usage"]["attempts"] == len(server.heard)


async def test_contradiction_in_one_chunk_and_support_in_another_is_support_with_a_flag(
    tmp_path: Path,
) -> None:
    def play(heard: Heard) -> Play:
        word = "unsure"
        if "1782" in heard.user.split("claims>>")[0]:
            word = "yes"
        elif "burnt down" in heard.user:
            word = "no"
        said = {"id": 1, "reason": "so", "verdict": word}
        return reply(completion({"verdicts": [said]}))

    contexts = [f"It burnt down. {FILL[:30_000]}", f"{FILL[:30_000]} {FACT}"]
    async with JudgeServer(play) as server:
        event = await score(tmp_path, server, row(contexts=contexts))

    [claim] = event["outcome"]["breakdown"]["claims"]
    assert (claim["verdict"], claim["flags"]) == ("yes", ["chunked", "conflict"])
    assert event["outcome"]["flags"] == ["chunked", "conflict"]


async def test_a_question_over_the_window_is_an_error_by_name_and_no_score(tmp_path: Path) -> None:
    question = f"Was it {'very ' * 8_000} early?"

    async with JudgeServer(by_fact) as server:
        event = await score(tmp_path, server, row(question=question), code=3)

    assert event["outcome"]["status"] == "error"
    assert event["outcome"]["error"]["cause"] == "too_long"
    assert server.heard == []


async def test_max_text_bounds_what_a_question_holds_of_one_field(tmp_path: Path) -> None:
    async with JudgeServer(by_fact) as server:
        event = await score(
            tmp_path,
            server,
            row(),
            chat="context_tokens: 1000k",
            more="intake: {max_text: 5k}\nscorers: {faithfulness: {}, citation_accuracy: null}",
        )

    assert event["outcome"]["label"] == "supported"
    for heard in server.heard:
        assert sum(len(str(one["text"])) for one in contexts_of(heard)) <= 5_000


async def test_all_evidence_is_judged_together_and_each_verdict_names_its_source(
    tmp_path: Path,
) -> None:
    quotes = {1: ("At nine.", "1"), 2: ("1782", "tool:1"), 3: ("my brother", "turn:1")}

    def play(heard: Heard) -> Play:
        said = [
            {"id": n, "reason": "so", "quote": quote, "source": source, "verdict": "yes"}
            for n, (quote, source) in quotes.items()
        ]
        return reply(completion({"verdicts": said}))

    trace = row(
        contexts=["At nine."],
        tool_results=[{"state": "result", "result": {"built": 1782}}],
        history=[{"role": "user", "text": "I come with my brother."}],
        answer="It opens at nine. It was built in 1782. You come with your brother.",
    )
    async with JudgeServer(play) as server:
        event = await score(
            tmp_path,
            server,
            trace,
            more="scorers: {faithfulness: {evidence: [contexts, tool_results, history],"
            " all_evidence: true}, citation_accuracy: null}",
        )

    assert [claim["evidence"] for claim in event["outcome"]["breakdown"]["claims"]] == [
        {"key": "1", "quote": "At nine."},
        {"key": "tool:1", "quote": "1782", "kind": "tool_results"},
        {"key": "turn:1", "quote": "my brother", "kind": "history"},
    ]
    [heard] = server.heard
    assert "conversation>>" not in heard.user


async def test_the_turns_before_tell_what_it_stands_for_and_are_no_evidence(
    tmp_path: Path,
) -> None:
    said = "Tell me of the mill in Schleife."
    trace = row(contexts=["At nine."], history=[{"role": "user", "text": said}])

    async with JudgeServer(lambda heard: by_fact(heard)) as server:
        event = await score(tmp_path, server, trace)

    [heard] = server.heard
    assert said in heard.user.split("conversation>>")[1]
    assert said not in str(contexts_of(heard))
    assert event["outcome"]["label"] == "unsupported"
