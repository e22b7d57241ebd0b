"""A judge at a server that plays as a test says, with all around it that production has."""

import pytest
from pydantic import SecretStr
from tenacity.wait import wait_none

from scorers.asking.verdicts import verify
from scorers.contract import (
    Answer,
    Judge,
    Judgement,
    JudgeUnavailableError,
)
from scorers.judges.bounded import BoundedJudge, Limits
from scorers.judges.chat import ChatJudge, ChatModel
from scorers.judges.concurrency import Concurrency
from scorers.judges.http import HttpClient
from scorers.judges.pricing import Price
from scorers.judges.retrying import RetryingJudge
from scorers.questions import Evidence, Question, VerifyClaims
from tests.judge_server import (
    Heard,
    JudgeServer,
    Play,
    agree,
    reply,
)

KEY = "sk-not-for-anyone"


def about(row: str = "r") -> Question[tuple[Judgement, ...]]:
    evidence = (Evidence("1", "The mill opens at ten."),)
    return verify(VerifyClaims(("The mill opens at ten.",), evidence), row=row)


class Edge:
    """A judge at a server that plays so, with everything around it that production has."""

    def __init__(self, *plays: Play, in_flight: int = 4, timeout_seconds: float = 0.5) -> None:
        def good(heard: Heard) -> Play:
            return reply(agree(heard), after=0.01)

        left = list(plays)
        self.server = JudgeServer(lambda heard: left.pop(0) if left else good(heard))
        self.limits = Limits(Concurrency(in_flight))
        self._timeout_seconds = timeout_seconds
        self.client: HttpClient

    async def __aenter__(self) -> "Edge":
        await self.server.__aenter__()
        self.client = HttpClient(
            timeout_seconds=self._timeout_seconds, in_flight=4, allow_private=True
        )
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.client.close()
        await self.server.__aexit__(None, None, None)

    def judge(self, *, retries: int = 2, patience_seconds: float = 5) -> Judge:
        model = ChatModel(self.server.url, "m", SecretStr(KEY), price=Price(1.0, 2.0))
        bounded = BoundedJudge(ChatJudge(model, self.client), self.limits)
        return RetryingJudge(
            bounded, retries, back_off=wait_none(), patience_seconds=patience_seconds
        )

    async def ask(self, *, retries: int = 2) -> Answer[tuple[Judgement, ...]]:
        return await self.judge(retries=retries).ask(about())

    async def fail(self, *, retries: int = 0) -> str | None:
        with pytest.raises(JudgeUnavailableError) as failed:
            await self.ask(retries=retries)
        assert KEY not in f"{failed.value!r} {failed.value.__cause__!r}"
        assert self.limits.slots.taken == 0
        return failed.value.error.cause


async def cause_at(url: str) -> str | None:
    client = HttpClient(timeout_seconds=5, allow_private=True)
    try:
        with pytest.raises(JudgeUnavailableError) as failed:
            await ChatJudge(ChatModel(url, "m"), client).ask(about())
    finally:
        await client.close()
    return failed.value.error.cause


VERDICT = '{"verdicts": [{"id": 1, "verdict": "yes"}]}'
