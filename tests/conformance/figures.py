"""Runs the cases without a judge: citation formats, numbers, rounding, ranks and templates."""

import ast
import operator
import time
from collections.abc import Callable, Mapping
from typing import Any

from scorers.parameters import ParameterError
from scorers.tallies.rounding import half_up
from scorers.tallies.spearman import spearman
from scorers.templates import Template
from scorers.text.citations import read_citations
from scorers.text.numbers import close_enough, numbers, years
from tests.conformance.comparing import differences

Json = Mapping[str, Any]

STRESS_KEYS = ("1", "2", "3", "C1")

_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Mult: operator.mul,
}


def citation_formats(case: Json) -> list[str]:
    config = case.get("config") or {}
    known = case["input"]["known_keys"]
    answer = read_citations(case["input"]["answer"], known, **config)
    found = {
        "eligible": len(answer.eligible(min_words=4)),
        "cited": [
            {"text": row.text, "keys": list(row.keys), "unknown": list(row.unknown)}
            for row in answer.cited
        ],
    }
    return differences(case["expected"], found)


def citation_stress(case: Json) -> list[str]:
    text = made(case["make"])
    started = time.process_time()
    read_citations(text, STRESS_KEYS)
    seconds = time.process_time() - started
    return [] if seconds <= case["max_seconds"] else [f"took {seconds:.1f} s"]


def numeric_tolerance(case: Json) -> list[str]:
    right = close_enough(
        answer_value=case["answer_value"],
        reference_value=case["reference_value"],
        kind=case["kind"],
        tolerance=case.get("tolerance", 0.05),
    )
    return differences(case["expected_ok"], right, "ok")


def numeric_extraction(case: Json) -> list[str]:
    found = {"numbers": numbers(case["text"]), "years": years(case["text"])}
    wanted = {name: case[name] for name in found if name in case}
    return differences(wanted, found)


def rounding(case: Json) -> list[str]:
    return differences(case["expected"], half_up(case["value"]))


def ranks(case: Json) -> list[str]:
    return differences(case["expected_rho"], spearman(case["x"], case["y"]))


def template_substitution(case: Json) -> list[str]:
    try:
        filled = Template(id="case-1", text=case["template"]).fill(case["query"])
    except ParameterError:
        filled = None
    return differences(case["expected"], filled)


def made(expression: str) -> str:
    """Work out a text from literals, `+` and `*`, and nothing else."""
    return str(_worked_out(ast.parse(expression, mode="eval").body))


def _worked_out(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.BinOp):
        apply = _OPERATORS[type(node.op)]
        return apply(_worked_out(node.left), _worked_out(node.right))
    raise ValueError(f"only literals, + and * are allowed, not {type(node).__name__}")
