"""What judging a share of the traffic would cost a day. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from schemas.score import Usage
from streams.console.lines import Line
from streams.console.rehearsal import Part
from streams.console.sampled import Traffic
from streams.console.taking import Taken

SHARE = 0.01
"""What the figure is for."""


def cost_account(
    seen: Traffic | None,
    parts: Mapping[str, Part],
    models: Sequence[Taken],
    chances: Mapping[str, float],
    *,
    budget: float | None = None,
) -> Iterator[Line]:
    """Say what one row in a hundred would cost a day, and the rows that the settings draw.

    `chances` are those of each scorer's rows; `budget` is what a day may cost, in US dollars.
    """
    if seen is None:
        yield Line("cost: not known, for the traffic is not")
        return
    one_in_a_hundred = _day(seen.a_day, parts, dict.fromkeys(parts, SHARE))
    rows = f"{seen.a_day * SHARE:,.0f} rows a day"
    yield Line(f"cost: 1 % of the traffic is {rows}: {_said(one_in_a_hundred, models)}")
    for model in models:
        if not model.priced:
            yield Line(f"price not known: set judge.{model.stage}.price", depth=1)
    configured = _day(seen.a_day, parts, chances)
    drawn = ", ".join(f"{name} {chance:g}" for name, chance in chances.items())
    yield Line(f"as sampled now ({drawn}): {_said(configured, models)}", depth=1)
    cost = configured.cost_usd or 0.0
    if budget is not None and cost > budget:
        left = f"judge.budget leaves {budget / cost:.2g} of that: ${budget:,.2f} a day"
        yield Line(left, depth=1)


def _day(a_day: float, parts: Mapping[str, Part], chances: Mapping[str, float]) -> Usage:
    """Return what a day takes, each scorer's rows drawn with its own chance."""
    calls = sent = said = cost = 0.0
    for name, part in parts.items():
        rows = a_day * chances.get(name, 0.0) / max(1, part.rows)
        calls += rows * part.usage.calls
        sent += rows * part.usage.input_tokens
        said += rows * part.usage.output_tokens
        cost += rows * (part.usage.cost_usd or 0.0)
    return Usage(
        calls=round(calls), input_tokens=round(sent), output_tokens=round(said), cost_usd=cost
    )


def _said(usage: Usage, models: Sequence[Taken]) -> str:
    tokens = f"about {usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
    if not all(model.priced for model in models):
        return tokens
    cost = usage.cost_usd or 0.0
    dollars = f"{cost:,.2f}" if cost >= 1 else f"{cost:.2g}"
    return f"about ${dollars} a day ({tokens.removeprefix('about ')})"
