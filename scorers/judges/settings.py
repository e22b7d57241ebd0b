"""The settings of the judges: which one is asked, where it is, and what it may cost."""

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field

from scorers.redaction.patterns import pattern
from scorers.setting_types import (
    NUMBER,
    SECTION,
    HttpUrl,
    Money,
    NotEmpty,
    PositiveCount,
    PositiveDuration,
    Retries,
    Share,
    Text,
    Whole,
)

JudgeKind = Literal["rules", "decisions", "chat", "cascade"]
Stage = Literal["rules", "decisions", "chat"]


class PriceSettings(BaseModel):
    """What a model's tokens cost, where the endpoint does not say."""

    model_config = SECTION

    input_per_million: Money | None = None
    """US dollars; null: not known, and never guessed."""
    output_per_million: Money | None = None
    """US dollars; null: not known."""


class ChatSettings(BaseModel):
    """Any OpenAI-compatible endpoint. Its key is STREAMGAUGE_CHAT_KEY."""

    model_config = SECTION

    url: HttpUrl | None = None
    """Up to and with the version: https://host/v1."""
    model: Text | None = None
    """The model's name as the endpoint knows it."""
    context_tokens: PositiveCount = 32_000
    """What one request may hold, with its reply; longer evidence is read in chunks."""
    temperature: Annotated[float, NUMBER, Field(ge=0, le=2)] = 0.0
    """0 to 2; above 0 a verdict may change when it is asked for again."""
    seed: int | None = None
    """Sent along where it is set."""
    n_judge_retries: Retries = 2
    """Further attempts of a question whose reply fails or is unusable: 0 to 5."""
    timeout: PositiveDuration = timedelta(seconds=60)
    """Of one attempt."""
    in_flight: Whole = 32
    """Requests of this process at one time."""
    requests_per_minute: Whole | None = None
    """Of the whole group: each process takes the share of its partitions."""
    tokens_per_minute: PositiveCount | None = None
    """Of the whole group, in and out together."""
    price: PriceSettings = PriceSettings()


class DecideAtSettings(BaseModel):
    """The probability from which an answer is taken; below it the judge is undecided."""

    model_config = SECTION

    choice: Share = 0.8
    """Of one among several options."""
    yes_no: Annotated[float, NUMBER, Field(ge=0.5, le=1)] = 0.8
    """Of a yes, and of a no: 0.5 to 1."""
    score: Share = 0.5
    """Of a level."""


class DecisionsSettings(BaseModel):
    """A model that answers typed questions with probabilities. Key: STREAMGAUGE_DECISIONS_KEY."""

    model_config = SECTION

    url: HttpUrl | None = None
    """Up to and with the version."""
    shape: Literal["systemone", "openai"] = "systemone"
    """Of the bodies; the path does not tell."""
    path: Text | None = None
    """After the address; null: that of the shape."""
    model: Text | None = None
    """Name one exactly: an alias may move to another model."""
    context_tokens: PositiveCount = 32_000
    """What the judged text and the longest question may hold; longer text is read in chunks."""
    request_tokens: PositiveCount = 64_000
    """What one request may hold."""
    questions_per_request: Whole = 32
    """About one text; never about several."""
    decide_at: DecideAtSettings = DecideAtSettings()
    orders: Annotated[int, NUMBER, Field(ge=1, le=2)] = 1
    """2 asks each choice with the options in reverse too."""
    min_label_mass: Share = 0.5
    """Less of the probability on the options means undecided."""
    n_judge_retries: Retries = 2
    """Further attempts: 0 to 5."""
    timeout: PositiveDuration = timedelta(seconds=15)
    """Of one attempt."""
    in_flight: Whole = 32
    """Requests of this process at one time."""
    requests_per_minute: Whole | None = None
    """Of the whole group."""
    tokens_per_minute: PositiveCount | None = None
    """Of the whole group."""
    price: PriceSettings = PriceSettings(output_per_million=0)


class ReasonsSettings(BaseModel):
    """A chat model that is asked only why a bad answer is bad. Its key is STREAMGAUGE_CHAT_KEY."""

    model_config = SECTION

    url: HttpUrl
    """Up to and with the version."""
    model: Text
    """The model's name."""
    price: PriceSettings = PriceSettings()


class BudgetSettings(BaseModel):
    """What judging may cost. A budget lowers the chance of later rows; it drops none."""

    model_config = SECTION

    calls_per_hour: Whole | None = None
    """Requests to endpoints in an hour of the clock, of the whole group."""
    cost_per_day: Annotated[float, NUMBER, Field(gt=0)] | None = None
    """US dollars in a day (UTC), of the whole group, spread over it; each model needs a price."""


def _pattern(text: str) -> str:
    pattern(text)
    return text


class JudgeSettings(BaseModel):
    """Who answers the scorers' questions."""

    model_config = SECTION

    kind: JudgeKind = "rules"
    """rules needs no model, no key and no network."""
    cascade: Annotated[tuple[Stage, ...], NotEmpty] = ("rules", "decisions", "chat")
    """The judges of a cascade: each is asked what the one before left undecided."""
    chat: ChatSettings = ChatSettings()
    decisions: DecisionsSettings = DecisionsSettings()
    reasons: ReasonsSettings | None = None
    row_deadline: PositiveDuration = timedelta(seconds=120)
    """For all attempts of a row; past it the outcome is an error."""
    redact: tuple[Annotated[str, AfterValidator(_pattern)], ...] = ()
    """email, phone, iban, card, or regular expressions: models and readers see placeholders."""
    budget: BudgetSettings = BudgetSettings()
    allow_private_addresses: bool = False
    """Whether an endpoint may lie in a private network."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The judges that are asked, in order."""
        return self.cascade if self.kind == "cascade" else (self.kind,)
