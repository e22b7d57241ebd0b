"""The endpoints that judges are asked at: one client, one set of limits and one key each."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace

import structlog

from scorers.contract import Judge
from scorers.judges.bounded import BoundedJudge, Limits
from scorers.judges.chat import ChatJudge, ChatModel
from scorers.judges.concurrency import Concurrency
from scorers.judges.deciding import DecideAt
from scorers.judges.decision_client import DecisionsModel
from scorers.judges.decisions import DecisionsJudge
from scorers.judges.dialect import Dialect
from scorers.judges.fitting import Room
from scorers.judges.http import HttpClient
from scorers.judges.observed import Hears, ObservedJudge, nobody
from scorers.judges.pace import Pace, whole_of_it
from scorers.judges.pricing import Price
from scorers.judges.settings import ChatSettings, DecisionsSettings, PriceSettings
from scorers.judges.windows import MAX_TEXT, Reach, Window, chat_window, decisions_window
from streams.settings.secrets import Secrets

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A judge that asks once within its limits, those limits, and what it can read at once.

    `dialect` tells what a chat endpoint is known to take, `reach` how much it was found to read.
    """

    judge: Judge
    limits: Limits
    retries: int
    window: Window
    dialect: Callable[[], Dialect] | None = None
    reach: Reach = field(default_factory=Reach)


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Opens endpoints; what they hold is closed with `connections`.

    `max_text` is how many characters of one field a question may hold. Each request is told to
    `hears`.
    """

    secrets: Secrets
    connections: AsyncExitStack
    allow_private: bool
    max_text: int = MAX_TEXT
    share: Callable[[], float] = whole_of_it
    hears: Hears = nobody

    def chat(self, section: ChatSettings) -> Endpoint:
        """Open a chat model's endpoint."""
        model = ChatModel(
            url=section.url or "",
            model=section.model or "",
            key=self.secrets.chat_key,
            temperature=section.temperature,
            seed=section.seed,
            price=_price(section.price),
        )
        window = chat_window(section.context_tokens, self.max_text)
        judge = ChatJudge(model, self.client(section))
        return replace(self._bounded(section, judge, window), dialect=lambda: judge.dialect)

    def decisions(self, section: DecisionsSettings) -> Endpoint:
        """Open a decision model's endpoint."""
        at = section.decide_at
        model = DecisionsModel(
            url=section.url or "",
            model=section.model or "",
            shape=section.shape,
            path=section.path,
            key=self.secrets.decisions_key,
            decide_at=DecideAt(at.choice, at.yes_no, at.score, section.min_label_mass),
            orders=section.orders,
            room=Room(
                section.context_tokens, section.request_tokens, section.questions_per_request
            ),
            price=_price(section.price),
        )
        window = decisions_window(
            min(section.context_tokens, section.request_tokens), self.max_text
        )
        return self._bounded(section, DecisionsJudge(model, self.client(section)), window)

    def client(self, section: ChatSettings | DecisionsSettings) -> HttpClient:
        """Return the connections to an endpoint."""
        client = HttpClient(
            timeout_seconds=section.timeout.total_seconds(),
            in_flight=section.in_flight,
            allow_private=self.allow_private,
        )
        self.connections.push_async_callback(client.close)
        return client

    def _bounded(
        self, section: ChatSettings | DecisionsSettings, judge: Judge, window: Window
    ) -> Endpoint:
        name = judge.identity.name

        def said(cause: str | None) -> None:
            if cause is None:
                log.info("judge_answers_again", judge=name)
            else:
                log.warning(
                    "judge_refuses_everyone", judge=name, cause=cause, way_out="streamgauge check"
                )

        limits = Limits(
            concurrency=Concurrency(section.in_flight),
            requests=Pace(section.requests_per_minute, self.share),
            tokens=Pace(section.tokens_per_minute, self.share),
            said=said,
        )
        asking = BoundedJudge(ObservedJudge(judge, self.hears), limits)
        return Endpoint(asking, limits, section.n_judge_retries, window)


def _price(section: PriceSettings) -> Price:
    return Price(section.input_per_million, section.output_per_million)
