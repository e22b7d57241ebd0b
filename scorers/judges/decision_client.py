"""Requests to a decisions endpoint: sent in its shape, and what comes back read or named."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from pydantic import JsonValue, SecretStr

from schemas.json_text import UnreadableJsonError, read_object
from schemas.score import ScoringError, Usage
from scorers.contract import NO_COST, InvalidReplyError, JudgeUnavailableError
from scorers.judges.breaker import concerns_all
from scorers.judges.deciding import DecideAt
from scorers.judges.decision_wire import PATHS, Answers, Asked, Shape, read, request
from scorers.judges.fitting import Room
from scorers.judges.http import MAX_BYTES, CallFailedError, HttpClient
from scorers.judges.pricing import UNKNOWN, Price, a_count, an_amount, priced
from scorers.judges.refusals import over_the_window
from scorers.judges.sent import note


@dataclass(frozen=True, slots=True)
class DecisionsModel:
    """Which model to ask, where, in which shape, and from what its answers are taken."""

    url: str
    model: str
    shape: Shape = "systemone"
    path: str | None = None
    key: SecretStr | None = None
    decide_at: DecideAt = field(default_factory=DecideAt)
    orders: int = 1
    room: Room = field(default_factory=Room)
    price: Price = UNKNOWN

    @property
    def address(self) -> str:
        """Where requests are posted."""
        path = PATHS[self.shape] if self.path is None else self.path
        return f"{self.url.rstrip('/')}/{path.lstrip('/')}"


class DecisionsClient:
    """Posts questions about one text to the model's endpoint."""

    def __init__(
        self, model: DecisionsModel, client: HttpClient, stopwatch: Callable[[], float]
    ) -> None:
        self._model = model
        self._client = client
        self._stopwatch = stopwatch

    async def ask(self, state: str, asked: Asked) -> tuple[Answers, Usage]:
        """Ask once. Raises JudgeUnavailableError with the cause and what it cost."""
        model, started = self._model, self._stopwatch()
        body = request(model.shape, model.model, state, asked)
        headers = {} if model.key is None else _authorised(model.key)
        try:
            reply = await self._client.post(model.address, body, headers=headers)
        except asyncio.CancelledError:
            cut = Usage(attempts=1, seconds=self._stopwatch() - started)
            note(priced(cut, sent=str(body), got=None, said_usd=None, price=model.price))
            raise
        except CallFailedError as error:
            raise _refused(error, self._stopwatch() - started) from error
        usage = Usage(attempts=1, seconds=self._stopwatch() - started)
        try:
            fields = read_object(reply.body, max_bytes=MAX_BYTES)
            usage = priced(
                usage.model_copy(update=_counted(fields.get("usage"))),
                sent=str(body),
                got=None,
                said_usd=reply.cost_usd,
                price=model.price,
            )
            if _truncated(fields.get("usage")):
                raise failed("truncated", usage, final=True)
            return read(model.shape, fields, asked), usage
        except UnreadableJsonError as error:
            raise failed("invalid_output", usage) from error
        except InvalidReplyError as error:
            error.usage = usage
            raise


def _authorised(key: SecretStr) -> dict[str, str]:
    return {"authorization": f"Bearer {key.get_secret_value()}"}


def _counted(usage: JsonValue) -> dict[str, object]:
    """Return the tokens and the cost of a request as the reply counts them."""
    fields = usage if isinstance(usage, dict) else {}
    return {
        "input_tokens": a_count(fields.get("input_tokens")),
        "output_tokens": a_count(fields.get("output_tokens")),
        "cost_usd": an_amount(fields.get("cost")),
    }


def _truncated(usage: JsonValue) -> bool:
    """Say whether the other side read only a part of what it was sent, and admits it."""
    return isinstance(usage, dict) and usage.get("truncated") not in (None, False, 0)


def _refused(refusal: CallFailedError, seconds: float) -> JudgeUnavailableError:
    usage = Usage(attempts=1, seconds=seconds)
    if over_the_window(refusal):
        return failed("truncated", usage, final=True)
    return JudgeUnavailableError(
        ScoringError(
            kind="judge_failed",
            cause="rate_limited" if refusal.cause == "http_529" else refusal.cause,
        ),
        usage,
        retry_after_seconds=refusal.retry_after_seconds,
        concerns_all=concerns_all(refusal.cause, refusal.detail),
    )


def failed(cause: str, usage: Usage = NO_COST, *, final: bool = False) -> JudgeUnavailableError:
    """Return the error of a question without an answer."""
    return JudgeUnavailableError(ScoringError(kind="judge_failed", cause=cause), usage, final=final)
