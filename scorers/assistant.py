"""The client that asks the system under test again: marked as a probe, and bounded."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue, SecretStr
from tenacity.wait import wait_base

from schemas.json_text import UnreadableJsonError, read_object
from schemas.score import ScoringError
from schemas.trace import Turn
from scorers.asking.ours import check_ours
from scorers.asking.retries import BACK_OFF, attempts
from scorers.contract import FreshAnswer, JudgeUnavailableError
from scorers.judges.http import MAX_BYTES, CallFailedError, HttpClient
from scorers.judges.pace import Pace, whole_of_it
from scorers.parameters import ParameterError, number

PROBE: Mapping[str, str] = {"streamgauge-probe": "1", "baggage": "streamgauge.probe=1"}
"""Marks every request, so that what it leads to is never sampled again."""

CHAT_BODY: JsonValue = {"messages": "{messages}", "temperature": "{temperature}"}
CHAT_ANSWER = "choices.0.message.content"


@dataclass(frozen=True, slots=True)
class Address:
    """Where an assistant is asked, and how: by default as an OpenAI-compatible endpoint.

    In `body` a text that is `{messages}` or `{temperature}` becomes that value, and `{query}`
    anywhere in a text becomes the last message. `answer` is the dotted path to the answer's text.
    `per_minute` are the whole group's calls, `share` in (0, 1] this process's part of them.
    """

    url: str
    body: JsonValue = field(default_factory=lambda: CHAT_BODY)
    answer: str = CHAT_ANSWER
    key: SecretStr | None = None
    per_minute: float | None = None
    share: Callable[[], float] = whole_of_it

    def __post_init__(self) -> None:
        """Refuse a request that would not hold the question, and an answer without a place."""
        text = json.dumps(self.body)
        if "{query}" not in text and '"{messages}"' not in text:
            raise ParameterError("body", "must hold {query} or {messages}")
        if not all(self.answer.split(".")):
            raise ParameterError("answer", "must be a dotted path")
        if self.per_minute is not None:
            number("per_minute", self.per_minute, above=0)


class HttpAssistant:
    """Asks over HTTP. A slot is held per attempt, and shared with the scorer's judge."""

    def __init__(
        self,
        address: Address,
        client: HttpClient,
        slots: asyncio.Semaphore,
        *,
        retries: int = 2,
        back_off: wait_base = BACK_OFF,
    ) -> None:
        attempts("n_sut_retries", retries)
        self._address = address
        self._client = client
        self._slots = slots
        self._retries = retries
        self._back_off = back_off
        self._pace = Pace(address.per_minute, address.share)

    async def ask(self, messages: Sequence[Turn], *, temperature: float) -> FreshAnswer:
        """Return a new answer. Raises JudgeUnavailableError of kind `sut_failed`."""
        payload = filled(self._address.body, messages, temperature)
        async for attempt in attempts("n_sut_retries", self._retries, back_off=self._back_off):
            with attempt:
                text = await self._attempt(payload)
                return FreshAnswer(text, attempts=attempt.retry_state.attempt_number)
        raise AssertionError("the last attempt raises")

    async def _attempt(self, payload: JsonValue) -> str:
        await asyncio.sleep(self._pace.wait_seconds(asyncio.get_running_loop().time()))
        key = self._address.key
        secret = {} if key is None else {"authorization": f"Bearer {key.get_secret_value()}"}
        async with self._slots:
            await check_ours()
            try:
                reply = await self._client.post(
                    self._address.url, payload, headers={**PROBE, **secret}
                )
            except CallFailedError as failed:
                raise _failed(failed.cause, failed.retry_after_seconds) from failed
        return answer_text(reply.body, self._address.answer)


def filled(body: JsonValue, messages: Sequence[Turn], temperature: float) -> JsonValue:
    """Return the request: the slots of the body filled, each once and by nothing but its value."""
    if isinstance(body, dict):
        return {key: filled(value, messages, temperature) for key, value in body.items()}
    if isinstance(body, list):
        return [filled(value, messages, temperature) for value in body]
    if body == "{messages}":
        return [{"role": turn.role, "content": turn.text} for turn in messages]
    if body == "{temperature}":
        return temperature
    if isinstance(body, str):
        before, slot, after = body.partition("{query}")
        return f"{before}{messages[-1].text}{after}" if slot else body
    return body


def answer_text(body: bytes, path: str) -> str:
    """Return the text at the path. A blank one is a failed attempt, like one that is not there."""
    try:
        value: JsonValue = read_object(body, max_bytes=MAX_BYTES)
    except UnreadableJsonError as error:
        raise _failed("invalid_output") from error
    for step in path.split("."):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            raise _failed("invalid_output")
    if value is None or (isinstance(value, str) and not value.strip()):
        raise _failed("empty_response")
    if not isinstance(value, str):
        raise _failed("invalid_output")
    return value


def _failed(cause: str, retry_after_seconds: float | None = None) -> JudgeUnavailableError:
    error = ScoringError(kind="sut_failed", cause=cause)
    return JudgeUnavailableError(error, retry_after_seconds=retry_after_seconds)
