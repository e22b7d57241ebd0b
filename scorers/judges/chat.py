"""A judge behind any OpenAI-compatible chat endpoint: one attempt a question, read strictly."""

import asyncio
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from pydantic import JsonValue, SecretStr

from schemas.score import ScoringError, Usage
from scorers.contract import (
    Answer,
    InvalidReplyError,
    JudgeIdentity,
    JudgeUnavailableError,
)
from scorers.judges.breaker import concerns_all
from scorers.judges.dialect import Dialect
from scorers.judges.http import CallFailedError, HttpClient, Reply
from scorers.judges.pricing import UNKNOWN, Price, priced
from scorers.judges.prompts import Prompt, prompt
from scorers.judges.refusals import over_the_window
from scorers.judges.replies import Completion, answer_object, completion
from scorers.judges.sent import note
from scorers.judges.wording import VERSION
from scorers.questions import Question

A = TypeVar("A")

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
    price: Price = UNKNOWN


class ChatJudge:
    """Asks once. Put it inside LimitedJudge and RetryingJudge, which bound it.

    Remembers the dialect that its endpoint takes: a request in a refused one is no attempt.
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
        self._dialect = Dialect()

    @property
    def identity(self) -> JudgeIdentity:
        """The model, the version of the prompts, and what else can change a verdict."""
        return JudgeIdentity(
            name="chat",
            version=VERSION,
            model=self._model.model,
            settings={"temperature": self._model.temperature, "seed": self._model.seed},
        )

    @property
    def dialect(self) -> Dialect:
        """What the endpoint is known to take."""
        return self._dialect

    async def ask(self, question: Question[A]) -> Answer[A]:
        """Ask once. Raises JudgeUnavailableError with the cause and what the attempt cost."""
        asked = prompt(question, secret=self._secret)
        started = self._stopwatch()
        try:
            reply = self._read(asked, await self._post(asked), started)
        except asyncio.CancelledError:
            note(self._priced(self._attempt(started), asked))
            raise
        except CallFailedError as failed:
            over = over_the_window(failed)
            raise JudgeUnavailableError(
                ScoringError(kind="judge_failed", cause="too_long" if over else failed.cause),
                self._attempt(started),
                retry_after_seconds=failed.retry_after_seconds,
                concerns_all=concerns_all(failed.cause, failed.detail),
                final=over,
            ) from failed
        except InvalidReplyError as error:
            error.usage = self._attempt(started)
            raise
        return _answer(question, asked, reply)

    def _read(self, asked: Prompt, reply: Reply, started: float) -> Completion:
        read = completion(reply.body, seconds=self._stopwatch() - started)
        return replace(read, usage=self._priced(read.usage, asked, read.text, reply.cost_usd))

    def _priced(
        self, usage: Usage, asked: Prompt, got: str | None = None, said_usd: float | None = None
    ) -> Usage:
        sent = asked.system + asked.user
        return priced(usage, sent=sent, got=got, said_usd=said_usd, price=self._model.price)

    def _attempt(self, started: float) -> Usage:
        return Usage(calls=1, attempts=1, seconds=self._stopwatch() - started)

    async def _post(self, asked: Prompt) -> Reply:
        key = self._model.key
        headers = {} if key is None else {"authorization": f"Bearer {key.get_secret_value()}"}
        url = f"{self._model.url.rstrip('/')}/chat/completions"
        while True:
            tried = self._dialect
            body = {**self._body(asked), **tried.fields(asked)}
            try:
                return await self._client.post(url, body, headers=headers)
            except CallFailedError as failed:
                other = tried.after(failed)
                if other is None:
                    raise
                if self._dialect == tried:  # else another call has found out meanwhile
                    self._dialect = other

    def _body(self, asked: Prompt) -> dict[str, JsonValue]:
        body: dict[str, JsonValue] = {
            "model": self._model.model,
            "messages": [
                {"role": "system", "content": asked.system},
                {"role": "user", "content": asked.user},
            ],
            "temperature": self._model.temperature,
        }
        if self._model.seed is not None:
            body["seed"] = self._model.seed
        return body


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
