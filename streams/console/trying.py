"""One timed question to each endpoint that the judge asks: who answers, how, and what it takes."""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from pydantic import SecretStr

from schemas.score import Usage
from scorers.asking.verdicts import verify
from scorers.contract import Answer, Judge, Judgement, JudgeUnavailableError
from scorers.judges.decision_wire import PATHS
from scorers.judges.dialect import Dialect
from scorers.judges.pricing import Price
from scorers.judges.settings import ChatSettings, DecisionsSettings, JudgeSettings
from scorers.questions import Evidence, VerifyClaims
from streams.console.diagnosis import ModelEndpoint, trouble
from streams.console.lines import Line
from streams.scoring.endpoints import Endpoint, Endpoints
from streams.settings.secrets import Secrets

CLAIM = "The desk opens at nine."
ABOUT = VerifyClaims((CLAIM,), (Evidence("1", "The desk opens at nine on weekdays."),))
"""What is asked: the passage says it, word for word."""


@dataclass(frozen=True, slots=True)
class Trial:
    """An endpoint to be tried. `dialect` says how a chat model was asked last."""

    stage: str
    place: ModelEndpoint
    price: Price
    judge: Judge
    dialect: Callable[[], Dialect] | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    """How it went: the answer, or why there is none; `seconds` from asking to having it."""

    trial: Trial
    answer: Answer[tuple[Judgement, ...]] | JudgeUnavailableError
    seconds: float

    @property
    def usage(self) -> Usage | None:
        """What the call took, None where it was not answered."""
        return self.answer.usage if isinstance(self.answer, Answer) else None


@asynccontextmanager
async def trials(judge: JudgeSettings, secrets: Secrets) -> AsyncIterator[list[Trial]]:
    """Open each endpoint that these settings ask. The rules judge has none."""
    async with AsyncExitStack() as connections:
        opened = Endpoints(secrets, connections, judge.allow_private_addresses)
        made: dict[str, Callable[[], Trial]] = {
            "decisions": lambda: _decisions(judge.decisions, opened),
            "chat": lambda: _chat(judge.chat, opened),
        }
        yield [made[stage]() for stage in judge.stages if stage in made]


def _chat(section: ChatSettings, opened: Endpoints) -> Trial:
    url = f"{(section.url or '').rstrip('/')}/chat/completions"
    key = opened.secrets.chat_key
    return _trial("chat", section, url, key, opened.chat(section))


def _decisions(section: DecisionsSettings, opened: Endpoints) -> Trial:
    path = (section.path or PATHS[section.shape]).lstrip("/")
    url = f"{(section.url or '').rstrip('/')}/{path}"
    key = opened.secrets.decisions_key
    return _trial("decisions", section, url, key, opened.decisions(section))


def _trial(
    stage: str,
    section: ChatSettings | DecisionsSettings,
    url: str,
    key: SecretStr | None,
    at: Endpoint,
) -> Trial:
    variable = f"STREAMGAUGE_{stage.upper()}_KEY"
    place = ModelEndpoint(f"judge.{stage}", url, section.model or "", variable, key is not None)
    price = Price(section.price.input_per_million, section.price.output_per_million)
    return Trial(stage, place, price, at.judge, at.dialect)


async def tried(trial: Trial) -> Tried:
    """Ask one question, once."""
    began = time.perf_counter()
    answer: Answer[tuple[Judgement, ...]] | JudgeUnavailableError
    try:
        answer = await trial.judge.ask(verify(ABOUT, row="check"))
    except JudgeUnavailableError as error:
        answer = error
    return Tried(trial, answer, time.perf_counter() - began)


def account(one: Tried) -> Iterator[Line]:
    """Say how a trial went."""
    trial, answer = one.trial, one.answer
    name, place = f"judge {trial.stage}", trial.place
    if isinstance(answer, JudgeUnavailableError):
        found = trouble(answer, place)
        yield Line(f"{name}: {place.shown} {found.what}", tone="bad")
        yield Line(found.way_out, depth=1)
        return
    twice = ", what it refused before included" if trial.dialect and trial.dialect().refused else ""
    took = f"{one.seconds * 1000:,.0f} ms{twice}"
    yield Line(f"{name}: {place.shown} answered in {took}", tone="good")
    yield Line(f"model {place.model}: {_who(place.model, answer.resolved)}", depth=1)
    usage = answer.usage
    cost = "" if usage.cost_usd is None else f", ${usage.cost_usd:.6f}"
    said = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out{cost}"
    yield Line(f"one question: {said}", depth=1)
    if trial.dialect is not None:
        yield Line(f"replies: {_formats(trial.dialect())}", depth=1)
    verdict = answer.value[0].verdict
    if verdict != "yes":
        yield Line(
            f"it says {verdict} of a claim that its passage holds word for word: is it able?",
            depth=1,
        )


def _who(asked: str, resolved: str | None) -> str:
    if resolved is None:
        return "the reply names none"
    return "the reply names the same" if resolved == asked else f"the reply names {resolved}"


def _formats(dialect: Dialect) -> str:
    """Say what was taken, and what was refused before it."""
    refused = dialect.refused
    taken = "plain text" if dialect.reply_format == "plain" else dialect.reply_format
    before = f", {' and '.join(refused)} refused" if refused else ""
    return f"{taken} taken{before}; their length as {dialect.limit_name}"
