"""A scripted endpoint: it plays the judge and the assistant, by the rules of the case files."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

JUDGE = "http://judge.invalid/v1"
ASSISTANT = "http://assistant.invalid/v1/chat/completions"

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_TRANSPORT: Mapping[str, type[httpx.TransportError]] = {
    "timeout": httpx.ReadTimeout,
    "connection": httpx.ConnectError,
}


@dataclass
class Entry:
    """One line of a script, and how often it may still be used (-1: without limit)."""

    step: str
    line: Mapping[str, Any]
    left: int

    def fits(self, step: str, text: str) -> bool:
        wanted = self.line.get("contains")
        return (
            self.left != 0
            and self.step == step
            and (wanted is None or wanted in text or wanted in unescaped(text))
        )


@dataclass
class ScriptedEndpoint:
    """Answers each call with the first line of the script that fits it, and counts the calls."""

    script: Sequence[Mapping[str, Any]]
    judge_calls: int = 0
    sut_calls: int = 0
    unexpected: list[str] = field(default_factory=list)
    entries: list[Entry] = field(init=False)

    def __post_init__(self) -> None:
        self.entries = [Entry(line["step"], line, line.get("times", 1)) for line in self.script]

    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self._reply)

    @property
    def left_over(self) -> list[str]:
        return [entry.step for entry in self.entries if entry.left > 0]

    def _reply(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        if str(request.url) == ASSISTANT:
            step = "sut"
            self.sut_calls += 1
        else:
            step = body["response_format"]["json_schema"]["name"]
            self.judge_calls += 1
        text = "\n".join(message["content"] for message in body["messages"])
        entry = next((entry for entry in self.entries if entry.fits(step, text)), None)
        if entry is None:
            self.unexpected.append(step)
            return httpx.Response(400, json={"error": "unexpected"})
        if entry.left > 0:
            entry.left -= 1
        return _answer(entry.line)


def unescaped(text: str) -> str:
    """Return the text with JSON's string escapes undone."""

    def undo(escape: re.Match[str]) -> str:
        if escape[1]:
            return chr(int(escape[1], 16))
        return _LETTERS.get(escape[2], escape[2])

    return _ESCAPE.sub(undo, text)


def _answer(line: Mapping[str, Any]) -> httpx.Response:
    if "reply" in line:
        return _completion(json.dumps(line["reply"], ensure_ascii=False))
    if "raw" in line:
        return _completion(line["raw"])
    return _failure(line["error"])


def _failure(kind: str) -> httpx.Response:
    if kind in _TRANSPORT:
        raise _TRANSPORT[kind](kind)
    if kind == "empty_response":
        return _completion(" ")
    if kind == "truncated":
        return _completion('{"', finish_reason="length")
    status = 429 if kind == "rate_limited" else int(kind.removeprefix("http_"))
    return httpx.Response(status, json={"error": {"message": "no"}})


def _completion(content: str, finish_reason: str = "stop") -> httpx.Response:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    return httpx.Response(
        200,
        json={
            "model": "scripted",
            "choices": [choice],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3},
        },
    )
