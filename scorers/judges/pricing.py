"""What a call cost: what the endpoint says, else tokens times price, else it is not known."""

from dataclasses import dataclass

from pydantic import JsonValue

from schemas.score import Usage

_BYTES_A_TOKEN = 4
_MILLION = 1_000_000
_NO_TOKENS, _NO_USD = 10**7, 1_000
"""What no call can take or cost. One that was believed would stop a limit or a budget for days."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars a million tokens; None: not known."""

    input_per_million: float | None = None
    output_per_million: float | None = None

    def of(self, usage: Usage) -> float | None:
        """Return the price of the tokens, None where one of the two prices is not known."""
        if self.input_per_million is None or self.output_per_million is None:
            return None
        spent = usage.input_tokens * self.input_per_million
        return (spent + usage.output_tokens * self.output_per_million) / _MILLION


UNKNOWN = Price()


def tokens(text: str) -> int:
    """Estimate the tokens of a text, for endpoints that do not say (four bytes of UTF-8 each)."""
    return -(-len(text.encode()) // _BYTES_A_TOKEN)


def priced(
    usage: Usage, *, sent: str, got: str | None, said_usd: float | None, price: Price
) -> Usage:
    """Complete what a reply says of its cost: tokens are counted where it counts none."""
    if not usage.input_tokens:
        found = {"input_tokens": tokens(sent), "output_tokens": tokens(got or "")}
        usage = usage.model_copy(update=found)
    known = (usage.cost_usd, said_usd, price.of(usage))
    cost = next((cost for cost in known if cost is not None), None)
    return usage if cost is None else usage.model_copy(update={"cost_usd": cost})


def an_amount(value: JsonValue) -> float | None:
    """Return an amount of money, None for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _NO_USD:
        return None
    return float(value)


def a_count(value: JsonValue) -> int:
    """Return a number of tokens; what is none costs no verdict, for it is bookkeeping alone."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _NO_TOKENS:
        return 0
    return value
