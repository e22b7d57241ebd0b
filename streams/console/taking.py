"""What one call of a model takes, told by a call that was made: tokens and dollars."""

from dataclasses import dataclass

from schemas.score import Usage
from scorers.judges.decision_questions import asking
from scorers.judges.decision_wire import request
from scorers.judges.pricing import UNKNOWN, Price, tokens
from scorers.judges.prompts import prompt
from scorers.questions import (
    Question,
    Subject,
    VerifyClaims,
)
from streams.console.trying import ABOUT, Tried

_SAID = {"chat": 60.0}
"""Tokens of reply to an item that a chat model is taken to need; decisions have no text."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What a model takes, by one call that was made.

    `sent` tokens for each that is guessed, `said` tokens of reply an item, and, where no price is
    set, the dollars a token that the endpoint itself spoke of.
    """

    stage: str
    sent: float
    said: float
    price: Price
    usd_per_token: float | None

    @property
    def priced(self) -> bool:
        """Say whether its cost is known."""
        return self.usd_per_token is not None or self.price.of(Usage()) is not None

    def usage(self, about: Subject) -> Usage:
        """Estimate one call."""
        guess, items = guessed(self.stage, about)
        found = Usage(
            calls=1,
            attempts=1,
            input_tokens=round(guess * self.sent),
            output_tokens=round(items * self.said),
        )
        cost = self.price.of(found)
        if cost is None and self.usd_per_token is not None:
            cost = self.usd_per_token * (found.input_tokens + found.output_tokens)
        return found.model_copy(update={"cost_usd": cost})


def taken(one: Tried) -> Taken | None:
    """Return what the model of a trial takes, None where it gave no answer."""
    usage = one.usage
    if usage is None:
        return None
    guess, items = guessed(one.trial.stage, ABOUT)
    both = usage.input_tokens + usage.output_tokens
    return Taken(
        stage=one.trial.stage,
        sent=usage.input_tokens / guess,
        said=usage.output_tokens / items,
        price=one.trial.price,
        usd_per_token=usage.cost_usd / both if usage.cost_usd is not None and both else None,
    )


def unknown(stage: str) -> Taken:
    """Return what stands for a model that gave no answer."""
    return Taken(stage, sent=1.0, said=0.0, price=UNKNOWN, usd_per_token=None)


def assumed(stage: str, price: Price) -> Taken:
    """Return what a model is taken to need that nobody may ask: prompts by their length, and as
    many tokens of reply as are usual.
    """
    return Taken(stage, sent=1.0, said=_SAID.get(stage, 0.0), price=price, usd_per_token=None)


def guessed(stage: str, about: Subject) -> tuple[int, int]:
    """Return the tokens that a question is guessed to take, and how many items it asks about."""
    if stage == "chat":
        sent = prompt(Question(about, _unread, "row"), secret=b"")
        items = len(about.claims) if isinstance(about, VerifyClaims) else 1
        return tokens(sent.system + sent.user), items
    found = asking(about)
    if found is None:
        return 0, 0
    return tokens(str(request("systemone", "", found.state, found.questions))), len(found.questions)


def _unread(reply: object) -> object:
    return reply
