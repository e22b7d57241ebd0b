"""Who answers the scorers' questions in this process, and the connections that this takes."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from scorers.assistant import HttpAssistant
from scorers.consistency_settings import AssistantSettings
from scorers.contract import Assistant, Judge
from scorers.judges.http import HttpClient
from scorers.judges.limited import LimitedJudge, slots
from scorers.judges.retrying import RetryingJudge
from scorers.judges.rules import RulesJudge
from scorers.judges.settings import JudgeSettings
from scorers.settings import ScorersSettings
from streams.endpoints import Endpoint, Endpoints
from streams.gate import Gate
from streams.panel import Seat, open_gate
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
    async def panel(self, *, waits: bool = True) -> AsyncIterator[dict[str, Seat]]:
        """Yield the seats by their scorers' names. Their connections are closed on the way out.

        `waits`: rows are held back while an endpoint refuses everyone, else they fail at once.
        """
        async with AsyncExitStack() as connections:
            endpoint, limited = self._endpoint(connections), self._consistency_slots()
            gate = open_gate if endpoint is None else Gate(endpoint.limits, waits)
            assistants = self._asked_again(connections, limited)
            yield {
                scorer.name: Seat(
                    scorer,
                    RulesJudge()
                    if endpoint is None
                    else self._patient(scorer.name, endpoint, limited),
                    self.judge.row_deadline,
                    gate,
                )
                for scorer in roster(self.scorers, self.abstentions, assistants)
            }

    def _endpoint(self, connections: AsyncExitStack) -> Endpoint | None:
        if self.judge.kind == "rules":
            return None
        private = self.judge.allow_private_addresses
        return Endpoints(self.secrets, connections, private).chat(self.judge.chat)

    def _patient(self, scorer: str, at: Endpoint, limited: asyncio.Semaphore | None) -> Judge:
        """Return the judge that asks again as often as the scorer is to have it."""
        judge, own = at.judge, getattr(self.scorers, scorer).n_judge_retries
        if scorer == "factual_consistency" and limited is not None:
            judge = LimitedJudge(judge, limited)
        return RetryingJudge(
            judge,
            at.retries if own is None else own,
            patience_seconds=self.judge.row_deadline.total_seconds(),
        )

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
            timeout_seconds=section.timeout.total_seconds(),
            in_flight=section.concurrency_limit,
            allow_private=self.judge.allow_private_addresses,
        )
        connections.push_async_callback(client.close)
        return {
            name: HttpAssistant(address(one), client, limited, retries=section.n_sut_retries)
            for name, one in self.assistants.items()
        }
