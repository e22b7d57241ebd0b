"""What `replay --dry-run` says: what a run would do and cost, as a table, lines or JSON."""

import json
from collections.abc import Iterator, Mapping

from pydantic import JsonValue
from rich.console import Console
from rich.table import Table

from schemas.run import Spent
from schemas.score import Usage
from streams.console.lines import Line, print_lines
from streams.console.tables import figures, fits
from streams.replay.rehearsal import Estimate, ScorerEstimate

NOTHING = Spent()


def print_estimate(
    estimate: Estimate,
    console: Console,
    *,
    unpriced: tuple[str, ...] = (),
    done: Spent = NOTHING,
    as_json: bool = False,
) -> None:
    """Print an estimate of a whole run, of which earlier lives have `done` something.

    `unpriced` are the judge's stages of which no price is set.
    """
    if as_json:
        print_lines([Line(json.dumps(estimate_json(estimate, done)))], console)
        return
    table = _table(estimate)
    if fits(table, console):
        print_lines([_rows(estimate)], console)
        console.print(table)
    else:
        print_lines([_rows(estimate), *_scorers(estimate)], console)
    print_lines([*_done(done), *_basis(estimate, unpriced)], console)


def estimate_json(estimate: Estimate, done: Spent = NOTHING) -> Mapping[str, JsonValue]:
    """Return an estimate for programs; a cost that is not known is null."""
    return {
        "rows": estimate.rows,
        "sampled": estimate.sampled,
        "rejected": estimate.rejected,
        "scorers": {
            name: {
                "sampled": one.sampled,
                "reused": one.reusable,
                "bought": one.bought,
                "basis": one.basis,
                **_figures(one.usage),
            }
            for name, one in estimate.scorers.items()
        },
        **_figures(estimate.usage),
        "done": done.model_dump(mode="json"),
    }


def _figures(usage: Usage) -> dict[str, JsonValue]:
    cost = usage.cost_usd
    return {
        "calls": usage.attempts,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": None if cost is None else round(cost, 6),
    }


def _rows(estimate: Estimate) -> Line:
    unread = f", {estimate.rejected:,} cannot be read" if estimate.rejected else ""
    return Line(f"rows: {estimate.rows:,}, {estimate.sampled:,} are drawn{unread}")


def _scorers(estimate: Estimate) -> Iterator[Line]:
    for name, one in estimate.scorers.items():
        yield Line(f"scorer {name}: {_verdicts(one)}")
        yield Line(_said(one.usage), depth=1)
    yield Line(f"in all: {_said(estimate.usage)}")


def _verdicts(one: ScorerEstimate) -> str:
    return f"{one.sampled:,} drawn, {one.reusable:,} there already, {one.bought:,} to buy"


def _said(usage: Usage) -> str:
    tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
    return f"about {usage.attempts:,} calls, {tokens}, {_cost(usage)}"


def _cost(usage: Usage) -> str:
    cost = usage.cost_usd
    if cost is None:
        return "cost not known"
    return f"${cost:,.2f}" if cost >= 1 or cost == 0 else f"${cost:.2g}"


def _table(estimate: Estimate) -> Table:
    counts = ("drawn", "there", "to buy", "calls", "tokens in", "tokens out", "cost")
    table = figures("scorer", *counts)
    for name, one in estimate.scorers.items():
        rows = (one.sampled, one.reusable, one.bought)
        table.add_row(name, *(f"{count:,}" for count in rows), *_cells(one.usage))
    table.add_section()
    table.add_row("in all", "", "", "", *_cells(estimate.usage))
    return table


def _cells(usage: Usage) -> tuple[str, ...]:
    counts = (usage.attempts, usage.input_tokens, usage.output_tokens)
    return (*(f"{count:,}" for count in counts), _cost(usage))


def _done(done: Spent) -> Iterator[Line]:
    if done != NOTHING:
        cost = f"{done.calls:,} calls, ${done.cost_usd:,.4f}"
        verdicts = f"{done.judged:,} verdicts bought, {done.reused:,} found"
        yield Line(f"The run has begun, and this is all of it. Done: {verdicts}, {cost}.")


def _basis(estimate: Estimate, unpriced: tuple[str, ...]) -> Iterator[Line]:
    for stage in unpriced:
        yield Line(f"price not known: set judge.{stage}.price")
    most = max((one.basis for one in estimate.scorers.values()), default=0)
    yield Line(
        f"Rows are counted; calls, tokens and cost are an estimate by up to {most:,} rows of each "
        "scorer. Nobody was asked, and nothing was written."
    )
