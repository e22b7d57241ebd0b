"""How far judges and people agree: a table for people, JSON lines for programs."""

import json
from collections.abc import Iterator, Sequence

from pydantic import JsonValue
from rich.table import Table

from streams.labels.agreement import Agreement
from streams.watch.estimates.rates import Rate

_FIGURES = ("sensitivity", "specificity", "kappa", "spearman", "bad", "undecided")
"""The estimates, by their names in an agreement."""

_SAID = {
    "sensitivity": "sensitivity: of what people call bad, the judge does too",
    "specificity": "specificity: of what people call good, the judge does too",
    "kappa": "Cohen's kappa",
    "spearman": "Spearman, grades against scores",
    "bad": "bad by labels, of all answers that the judge decided",
    "undecided": "bad by labels, of those that it could not decide",
}


def tables(found: Sequence[Agreement]) -> Iterator[Table]:
    """Yield a table of each judge: labels by verdict, then estimates with their limits."""
    for one in found:
        table = Table(title=_title(one), title_justify="left", show_header=False, min_width=60)
        table.add_column("what")
        table.add_column("how much", justify="right")
        table.add_row("labelled (unsure, open)", f"{one.labelled} ({one.unsure}, {_open(one)})")
        for verdict in ("bad", "good", "undecided"):
            counts = (one.confusion.get((verdict, label), 0) for label in ("bad", "good"))
            said = "{} bad, {} good".format(*counts)
            table.add_row(f"the judge says {verdict}; people", said)
        table.add_section()
        for name in _FIGURES:
            table.add_row(_SAID[name], _said(getattr(one, name)))
        yield table


def json_lines(found: Sequence[Agreement]) -> Iterator[str]:
    """Yield an object of each judge, one a line."""
    for one in found:
        judge = one.judge
        row: dict[str, JsonValue] = {
            "scorer": judge.scorer.model_dump(mode="json"),
            "judge": judge.judge.model_dump(mode="json"),
            "series": judge.series,
            "rows": one.rows,
            "labelled": one.labelled,
            "unsure": one.unsure,
            "confusion": {
                f"{verdict}/{label}": count for (verdict, label), count in one.confusion.items()
            },
        }
        row |= {name: _figure(getattr(one, name)) for name in _FIGURES}
        yield json.dumps(row, allow_nan=False) + "\n"


def _title(one: Agreement) -> str:
    scorer, judge = one.judge.scorer, one.judge.judge
    model = judge.resolved or judge.model
    by = f"{judge.name} {judge.version}" + (f" ({model})" if model else "")
    return f"{scorer.name} {scorer.version} by {by}, series {one.judge.series}"


def _open(one: Agreement) -> int:
    return one.rows - one.labelled - one.unsure


def _said(rate: Rate | None) -> str:
    if rate is None:
        return "nothing to go by"
    return f"{rate.value:.2f} ({rate.lower:.2f} to {rate.upper:.2f}), n={rate.n}"


def _figure(rate: Rate | None) -> JsonValue:
    if rate is None:
        return None
    return {
        "value": rate.value,
        "lower": rate.lower,
        "upper": rate.upper,
        "n": rate.n,
        "n_eff": rate.n_eff,
    }
