"""Which labels an expression of PromQL yields, and whether what it names is there at all."""

from collections.abc import Iterable, Mapping
from typing import Any

import promql_parser as promql

from tests.streams.telemetry.exposed import series

Labels = frozenset[str]
Known = Mapping[str, Labels]
"""The labels of each series that can be asked for."""

OF_TARGETS = frozenset({"job", "instance", "namespace", "pod"})
"""Labels that Prometheus adds to what it scrapes."""

_SETS = {"and", "or", "unless"}


class UnknownError(AssertionError):
    """A series or a label that is not there."""


def scraped(text: str) -> Known:
    """Return what Prometheus knows once it has scraped a page."""
    found = {
        name: frozenset(label for labels in by_labels for label, _ in labels) | OF_TARGETS
        for name, by_labels in series(text).items()
    }
    return {"up": OF_TARGETS, **found}


def labels_of(text: str, known: Known) -> Labels:
    """Return the labels of what an expression yields.

    Raises UnknownError for a name or label that `known` has not, ValueError for what is no PromQL.
    """
    return _labels(promql.parse(text), known)


def _labels(expr: Any, known: Known) -> Labels:
    match expr:
        case promql.VectorSelector():
            found = _selected(expr, known)
        case promql.MatrixSelector():
            found = _selected(expr.vector_selector, known)
        case promql.AggregateExpr():
            found = _aggregated(expr, known)
        case promql.BinaryExpr():
            found = _matched(expr, known)
        case promql.Call():
            found = _called(expr, known)
        case promql.NumberLiteral() | promql.StringLiteral():
            found = frozenset()
        case _:  # in brackets, negated, or a subquery
            found = _labels(expr.expr, known)
    return found


def _selected(selector: promql.VectorSelector, known: Known) -> Labels:
    name = selector.name or ""
    if name not in known:
        raise UnknownError(f"{name} is no series of ours")
    return _having(known[name], (one.name for one in selector.matchers.matchers), selector)


def _aggregated(expr: promql.AggregateExpr, known: Known) -> Labels:
    inner, modifier = _labels(expr.expr, known), expr.modifier
    if modifier is None:
        return frozenset()
    named = _having(inner, frozenset(modifier.labels), expr) & set(modifier.labels)
    return named if modifier.type == promql.AggModifierType.By else inner - named


def _matched(expr: promql.BinaryExpr, known: Known) -> Labels:
    left, right = _labels(expr.lhs, known), _labels(expr.rhs, known)
    operator = str(expr.op)
    if isinstance(expr.rhs, promql.NumberLiteral):
        return left
    if isinstance(expr.lhs, promql.NumberLiteral):
        return right
    on = expr.modifier.matching if expr.modifier else None
    named = left & right if on is None else frozenset(on.labels)
    if on is not None:
        _having(left & right, named, expr)
    elif operator not in _SETS and left != right:
        raise UnknownError(f"its sides have other labels: {expr.prettify()}")
    many = expr.modifier is not None and expr.modifier.group_labels is not None
    return left if operator in _SETS or many else named


def _called(call: promql.Call, known: Known) -> Labels:
    inner = frozenset[str]().union(*(_labels(arg, known) for arg in call.args))
    match call.func.name:
        case "histogram_quantile":
            return _having(inner, ["le"], call) - {"le"}
        case "label_replace":
            return inner | {call.args[1].val}
        case "absent" | "scalar" | "vector" | "time":
            return frozenset()
        case _:
            return inner


def _having(labels: Labels, named: Iterable[str], expr: Any) -> Labels:
    if missing := set(named) - labels:
        raise UnknownError(f"no label {', '.join(sorted(missing))}: {expr.prettify()}")
    return labels
