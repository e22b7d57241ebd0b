"""Who answers the scorers' questions in this process, and the connections that this takes."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from scorers.assistant import HttpAssistant
from scorers.consistency_settings import AssistantSettings
from scorers.contract import Assistant, Judge
from scorers.judges.chat import ChatJudge, ChatModel
from scorers.judges.http import HttpClient
from scorers.judges.limited import LimitedJudge, slots
from scorers.judges.retrying import RetryingJudge
from scorers.judges.rules import RulesJudge
from scorers.judges.settings import JudgeSettings
from scorers.settings import ScorersSettings
from streams.panel import Seat
from streams.roster import address, roster
from streams.secrets import Secrets


@dataclass(frozen=True, slots=True)
class Judging:
    """Makes the panel: every scorer that is on, with the judge and the patience it is to have."""

    judge: JudgeSettings
    scorers: ScorersSettings
    abstentions: tuple[str, ...]
    assistants: Mapping[str, AssistantSettings]
    secrets: Secrets

    @asynccontextmanager
    async def panel(self) -> AsyncIterator[dict[str, Seat]]:
        """Yield the seats by their scorers' names. Their connections are closed on the way out."""
        async with AsyncExitStack() as connections:
            attempt, limited = self._attempt(connections), self._consistency_slots()
            assistants = self._asked_again(connections, limited)
            yield {
                scorer.name: Seat(
                    scorer,
                    self._patient(scorer.name, attempt, limited),
                    self.judge.row_deadline,
                )
                for scorer in roster(self.scorers, self.abstentions, assistants)
            }

    def _attempt(self, connections: AsyncExitStack) -> Judge:
        """Return the judge that asks once, with the slots that all scorers share."""
        if self.judge.kind == "rules":
            return RulesJudge()
        chat = self.judge.chat
        client = HttpClient(timeout_seconds=chat.timeout.total_seconds(), in_flight=chat.in_flight)
        connections.push_async_callback(client.close)
        model = ChatModel(
            url=chat.url or "",
            model=chat.model or "",
            key=self.secrets.chat_key,
            temperature=chat.temperature,
            seed=chat.seed,
        )
        return LimitedJudge(ChatJudge(model, client), asyncio.Semaphore(chat.in_flight))

    def _patient(self, scorer: str, attempt: Judge, limited: asyncio.Semaphore | None) -> Judge:
        """Return the judge that asks again as often as the scorer is to have it."""
        if self.judge.kind == "rules":
            return attempt
        if scorer == "factual_consistency" and limited is not None:
            attempt = LimitedJudge(attempt, limited)
        own = getattr(self.scorers, scorer).n_judge_retries
        return RetryingJudge(attempt, self.judge.chat.n_judge_retries if own is None else own)

    def _consistency_slots(self) -> asyncio.Semaphore | None:
        """Return the slots that the calls of factual consistency share, to whomever they go."""
        section = self.scorers.factual_consistency
        return None if section is None else slots(section.concurrency_limit)

    def _asked_again(
        self, connections: AsyncExitStack, limited: asyncio.Semaphore | None
    ) -> dict[str, Assistant]:
        """Return the assistants that factual consistency may ask."""
        section = self.scorers.factual_consistency
        if section is None or limited is None:
            return {}
        client = HttpClient(
            timeout_seconds=section.timeout.total_seconds(), in_flight=section.concurrency_limit
        )
        connections.push_async_callback(client.close)
        return {
            name: HttpAssistant(address(one), client, limited, retries=section.n_sut_retries)
            for name, one in self.assistants.items()
        }
