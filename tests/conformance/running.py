"""Which cases a file holds, told by its name, and running them."""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.conformance import figures
from tests.conformance.comparing import differences
from tests.conformance.scoring import SCORERS, run_aggregate, run_scorer

Json = Mapping[str, Any]

FIGURES: Mapping[str, Callable[[Json], list[str]]] = {
    "citation_formats": figures.citation_formats,
    "citation_stress": figures.citation_stress,
    "numeric_extraction": figures.numeric_extraction,
    "numeric_tolerance": figures.numeric_tolerance,
    "rounding": figures.rounding,
    "spearman": figures.ranks,
    "template_substitution": figures.template_substitution,
}

AGGREGATE = "faithfulness_binary_aggregate"


class Result(NamedTuple):
    """A case, and the lines that say how it differs (none: it passed)."""

    id: str
    trouble: list[str]


def files(paths: Iterable[Path]) -> list[Path]:
    """Return the case files at the paths, those of a folder in order of their names."""
    return [
        file
        for path in paths
        for file in (sorted(path.glob("*.jsonl")) if path.is_dir() else [path])
    ]


def kind_of(path: Path) -> str:
    """Return the kind that a file's name tells. Raises ValueError for any other name."""
    kinds = sorted([*SCORERS, *FIGURES, AGGREGATE], key=len, reverse=True)
    for kind in kinds:
        if path.stem.startswith(kind):
            return kind
    raise ValueError(f"{path.name} names no kind of case: {', '.join(sorted(kinds))}")


def run_file(path: Path) -> list[Result]:
    """Run every case of a file."""
    kind = kind_of(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines if line.strip()]
    return [Result(case["id"], run_case(kind, case)) for case in cases]


def run_case(kind: str, case: Json) -> list[str]:
    """Return how a case differs from what it expects; what it raises is such a difference."""
    try:
        return _differences(kind, case)
    except Exception as error:
        return [f"raised {error!r}"]


def _differences(kind: str, case: Json) -> list[str]:
    if kind in FIGURES:
        return FIGURES[kind](case)
    run = run_aggregate(case) if kind == AGGREGATE else run_scorer(kind, case)
    view, trouble = asyncio.run(run)
    return trouble + differences(case["expected"], view)
