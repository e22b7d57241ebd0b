"""Who answers the scorers' questions in this process, and the connections that this takes."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from scorers.assistant import HttpAssistant
from scorers.consistency_settings import AssistantSettings
from scorers.contract import Assistant, Judge
from scorers.criterion_settings import CriterionSettings
from scorers.judges.cascade import CascadeJudge, Stage, anything
from scorers.judges.chunked import ChunkedJudge
from scorers.judges.cross_checked import CrossCheckedJudge
from scorers.judges.decision_questions import has_probabilities
from scorers.judges.http import HttpClient
from scorers.judges.limited import LimitedJudge, slots
from scorers.judges.observed import Hears, nobody
from scorers.judges.pace import whole_of_it
from scorers.judges.retrying import RetryingJudge
from scorers.judges.rules import RulesJudge
from scorers.judges.settings import ChatSettings, JudgeSettings
from scorers.judges.windows import MAX_TEXT
from scorers.questions import Subject
from scorers.redaction.judges import LiftingJudge
from scorers.redaction.rows import Covering
from scorers.redaction.veil import Redaction
from scorers.settings import ScorersSettings
from streams.scoring.endpoints import Endpoint, Endpoints
from streams.scoring.gate import Gate
from streams.scoring.panel import Seat
from streams.scoring.reasons import Reasons
from streams.scoring.roster import address, roster
from streams.settings.secrets import Secrets

RULES = LiftingJudge(RulesJudge())
"""One for all, with what it has read."""

_ANSWERS: Mapping[str, Callable[[Subject], bool]] = {
    "rules": lambda about: isinstance(about, RulesJudge.answers),
    "decisions": has_probabilities,
    "chat": anything,
}


@dataclass(frozen=True, slots=True)
class Judging:
    """Makes the panel: every scorer that is on, with the judge and the patience it is to have."""

    judge: JudgeSettings
    scorers: ScorersSettings
    criteria: Sequence[CriterionSettings]
    abstentions: tuple[str, ...]
    assistants: Mapping[str, AssistantSettings]
    secrets: Secrets
    max_text: int = MAX_TEXT

    @asynccontextmanager
    async def panel(
        self,
        *,
        waits: bool = True,
        share: Callable[[], float] = whole_of_it,
        hears: Hears = nobody,
    ) -> AsyncIterator[dict[str, Seat]]:
        """Yield the seats by their scorers' names. Their connections are closed on the way out.

        `waits`: rows are held back while an endpoint refuses everyone, else they fail at once.
        `share` is this process's part, in (0, 1], of what the group may ask in a minute: it is
        looked at with each call. Each call is told to `hears`.
        """
        async with AsyncExitStack() as connections:
            private = self.judge.allow_private_addresses
            opened = Endpoints(self.secrets, connections, private, self.max_text, share, hears)
            stages, limited = self._stages(opened), self._consistency_slots()
            reasons, covering = self._reasons(opened), self._covering()
            assistants = self._asked_again(connections, limited, share)
            yield {
                scorer.name: Seat(
                    scorer,
                    self._judge(scorer.name, stages, limited),
                    self.judge.row_deadline,
                    Gate(tuple(one.limits for one in stages.values() if one), waits),
                    reasons,
                    covering,
                )
                for scorer in roster(
                    self.scorers, self.abstentions, assistants, criteria=self.criteria
                )
            }

    def _stages(self, opened: Endpoints) -> dict[str, Endpoint | None]:
        """Open the endpoint of each judge that is asked; the rules judge needs none."""
        judge = self.judge
        remote: Mapping[str, Callable[[], Endpoint]] = {
            "decisions": lambda: opened.decisions(judge.decisions),
            "chat": lambda: opened.chat(judge.chat),
        }
        return {name: remote[name]() if name in remote else None for name in judge.stages}

    def _reasons(self, opened: Endpoints) -> Reasons | None:
        """Return who says why an answer is bad: a chat model, with the patience of any."""
        section = self.judge.reasons
        if section is None:
            return None
        at = opened.chat(ChatSettings(url=section.url, model=section.model, price=section.price))
        patience = self.judge.row_deadline.total_seconds()
        asking = RetryingJudge(at.judge, at.retries, patience_seconds=patience)
        return Reasons(asking, Gate((at.limits,), waits=False))

    def _covering(self) -> Covering | None:
        """Return what hides values from models and readers; our own refusals stay."""
        names = self.judge.redact
        return Covering(Redaction(names, frozenset(self.abstentions))) if names else None

    def _judge(
        self,
        scorer: str,
        stages: Mapping[str, Endpoint | None],
        limited: asyncio.Semaphore | None,
    ) -> Judge:
        """Return the judge of a scorer: one, or several in a row."""
        made = {
            name: RULES if one is None else self._patient(scorer, one, limited)
            for name, one in stages.items()
        }
        if self.judge.kind != "cascade":
            return next(iter(made.values()))
        return CascadeJudge([Stage(judge, _ANSWERS[name]) for name, judge in made.items()])

    def _patient(self, scorer: str, at: Endpoint, limited: asyncio.Semaphore | None) -> Judge:
        """Return the judge that asks again as often as the scorer is to have it, chunk by chunk."""
        judge, own = at.judge, self.scorers.retries_of(scorer)
        if scorer == "factual_consistency" and limited is not None:
            judge = LimitedJudge(judge, limited)
        asking = RetryingJudge(
            judge,
            at.retries if own is None else own,
            patience_seconds=self.judge.row_deadline.total_seconds(),
        )
        return CrossCheckedJudge(ChunkedJudge(asking, at.window, reach=at.reach), RULES)

    def _consistency_slots(self) -> asyncio.Semaphore | None:
        """Return the slots that the calls of factual consistency share, to whomever they go."""
        section = self.scorers.factual_consistency
        return None if section is None else slots(section.concurrency_limit)

    def _asked_again(
        self,
        connections: AsyncExitStack,
        limited: asyncio.Semaphore | None,
        share: Callable[[], float],
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
            name: HttpAssistant(
                replace(address(one), share=share), client, limited, retries=section.n_sut_retries
            )
            for name, one in self.assistants.items()
        }
