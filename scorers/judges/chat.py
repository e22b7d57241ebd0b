"""A judge behind any OpenAI-compatible chat endpoint: one attempt a question, read strictly."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from pydantic import JsonValue, SecretStr

from schemas.score import ScoringError, Usage
from scorers.contract import (
    Answer,
    InvalidReplyError,
    JudgeIdentity,
    JudgeUnavailableError,
)
from scorers.judges.http import CallFailedError, HttpClient
from scorers.judges.prompts import Prompt, prompt
from scorers.judges.replies import Completion, answer_object, completion
from scorers.judges.wording import VERSION
from scorers.questions import Question

A = TypeVar("A")

ReplyFormat = Literal["json_schema", "json_object", "plain"]

FORMATS: tuple[ReplyFormat, ...] = ("json_schema", "json_object", "plain")
"""Ways to ask for JSON, the strictest first. An endpoint that refuses one is asked the next."""

PROCESS_SECRET = secrets.token_bytes(32)
"""Makes the marks around judged text: the same for a row while this process lives, never told."""


@dataclass(frozen=True, slots=True)
class ChatModel:
    """Which model to ask, where (`https://host/v1`), and how. The key goes to that host alone."""

    url: str
    model: str
    key: SecretStr | None = None
    temperature: float = 0.0
    seed: int | None = None


class ChatJudge:
    """Asks once. Put it inside LimitedJudge and RetryingJudge, which bound it.

    Remembers the reply format that its endpoint takes: a refused one is no attempt.
    """

    def __init__(
        self,
        model: ChatModel,
        client: HttpClient,
        *,
        secret: bytes = PROCESS_SECRET,
        stopwatch: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._model = model
        self._client = client
        self._secret = secret
        self._stopwatch = stopwatch
        self._format = 0

    @property
    def identity(self) -> JudgeIdentity:
        """The model, the version of the prompts, and what else can change a verdict."""
        return JudgeIdentity(
            name="chat",
            version=VERSION,
            model=self._model.model,
            settings={"temperature": self._model.temperature, "seed": self._model.seed},
        )

    async def ask(self, question: Question[A]) -> Answer[A]:
        """Ask once. Raises JudgeUnavailableError with the cause and what the attempt cost."""
        asked = prompt(question, secret=self._secret)
        started = self._stopwatch()
        try:
            reply = completion(await self._post(asked), seconds=self._stopwatch() - started)
        except CallFailedError as failed:
            raise JudgeUnavailableError(
                ScoringError(kind="judge_failed", cause=failed.cause),
                self._attempt(started),
                retry_after_seconds=failed.retry_after_seconds,
            ) from failed
        except InvalidReplyError as error:
            error.usage = self._attempt(started)
            raise
        return _answer(question, asked, reply)

    def _attempt(self, started: float) -> Usage:
        return Usage(calls=1, attempts=1, seconds=self._stopwatch() - started)

    async def _post(self, asked: Prompt) -> bytes:
        key = self._model.key
        headers = {} if key is None else {"authorization": f"Bearer {key.get_secret_value()}"}
        url = f"{self._model.url.rstrip('/')}/chat/completions"
        while True:
            tried = self._format
            try:
                body = self._body(asked, FORMATS[tried])
                return await self._client.post(url, body, headers=headers)
            except CallFailedError as failed:
                if not _refuses_format(failed) or FORMATS[tried] == "plain":
                    raise
                self._format = max(self._format, tried + 1)

    def _body(self, asked: Prompt, reply_format: ReplyFormat) -> dict[str, JsonValue]:
        body: dict[str, JsonValue] = {
            "model": self._model.model,
            "messages": [
                {"role": "system", "content": asked.system},
                {"role": "user", "content": asked.user},
            ],
            "temperature": self._model.temperature,
            "max_tokens": asked.max_tokens,
        }
        if self._model.seed is not None:
            body["seed"] = self._model.seed
        if reply_format == "json_object":
            body["response_format"] = {"type": "json_object"}
        elif reply_format == "json_schema":
            schema: JsonValue = {
                "name": asked.step.name,
                "strict": True,
                "schema": asked.step.shape,
            }
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body


def _refuses_format(failed: CallFailedError) -> bool:
    detail = failed.detail.lower()
    named = "response_format" in detail or "json_schema" in detail
    return failed.cause == "http_400" and named


def _answer(question: Question[A], asked: Prompt, reply: Completion) -> Answer[A]:
    if reply.finish_reason == "length":
        raise _unusable("truncated", reply)
    if reply.text is None or not reply.text.strip():
        raise _unusable("empty_response", reply)
    try:
        value = question.read(answer_object(reply.text))
    except InvalidReplyError as error:
        error.usage = reply.usage
        raise
    sent = f"{asked.system}\n\n{asked.user}"
    return Answer(value=value, usage=reply.usage, resolved=reply.model, prompt=sent)


def _unusable(cause: str, reply: Completion) -> JudgeUnavailableError:
    return JudgeUnavailableError(ScoringError(kind="judge_failed", cause=cause), reply.usage)
