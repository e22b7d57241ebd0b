"""Measures the rules judge on labelled sets: `python benchmarks/rules_judge.py SET.jsonl ...`.

A set holds rows of `answer`, `contexts` and `supported`; citation sets also `kind`. A row's support
is that of its weakest claim, or of its weakest cited sentence: what the scorers would publish.
"""

import argparse
import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import JsonValue
from rich.console import Console
from rich.table import Table

from schemas.trace import Passage, RagTrace
from scorers.citation_accuracy import CitationAccuracy
from scorers.contract import Judgement, Verdict
from scorers.evidence.recorded import recorded
from scorers.judges.rules import ABSENT_BELOW, SUPPORTED_FROM, RulesJudge
from scorers.questions import Evidence, Question, VerifyClaims
from scorers.text.claims import claims

_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_FLAGS = {"number", "date"}
_CONTEXT_CHARACTERS = 8_000
_SPEED_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Judged:
    """A row of a set: the truth, what was measured, and the verdicts on its claims."""

    supported: bool
    kind: str
    label: str
    support: float | None
    verdicts: tuple[Verdict, ...]
    flags: frozenset[str]


def auroc(high: Sequence[float], low: Sequence[float]) -> float | None:
    """Return the chance that one of `high` lies above one of `low`, ties counting half."""
    if not high or not low:
        return None
    counted = sorted([(value, True) for value in high] + [(value, False) for value in low])
    ranks, at = 0.0, 0
    while at < len(counted):
        end = at
        while end < len(counted) and counted[end][0] == counted[at][0]:
            end += 1
        ranks += (at + end + 1) / 2 * sum(is_high for _, is_high in counted[at:end])
        at = end
    return (ranks - len(high) * (len(high) + 1) / 2) / (len(high) * len(low))


def share(rows: Sequence[Judged], holds: Callable[[Judged], bool]) -> float | None:
    """Return the share of rows that it holds for; None of none."""
    return sum(map(holds, rows)) / len(rows) if rows else None


def trace(row: dict[str, JsonValue]) -> RagTrace:
    """Make a trace of a row: its contexts are known by their numbers, from 1."""
    contexts = row["contexts"]
    answer = row["answer"]
    if not isinstance(contexts, list) or not isinstance(answer, str):
        raise SystemExit("a row needs an answer and a list of contexts")
    passages = tuple(Passage(key=str(n), text=str(text)) for n, text in enumerate(contexts, 1))
    question = str(row.get("question") or "").strip() or None
    return RagTrace(
        trace_id=str(row["id"]),
        service="benchmark",
        answered_at=_NOW,
        question=question,
        contexts=passages,
        answer=answer,
    )


async def judge(row: dict[str, JsonValue], judge: RulesJudge) -> Judged:
    """Judge one row as the scorer of its kind does."""
    made = trace(row)
    judged = await (_cited(made, judge) if "kind" in row else _claimed(made, judge))
    supports = [one.support for one in judged if one.support is not None]
    return Judged(
        supported=bool(row["supported"]),
        kind=str(row.get("kind") or ""),
        label=str(row.get("label") or ""),
        support=min(supports, default=None),
        verdicts=tuple(one.verdict for one in judged),
        flags=frozenset(flag for one in judged for flag in one.flags),
    )


async def _claimed(made: RagTrace, judge: RulesJudge) -> Sequence[Judgement]:
    texts = tuple(claim.text for claim in claims(made.answer or ""))
    about = VerifyClaims(texts, recorded(made, ["contexts"]) or (), made.question)
    question: Question[tuple[Judgement, ...]] = Question(about, lambda _: (), made.trace_id)
    return (await judge.ask(question)).value


async def _cited(made: RagTrace, judge: RulesJudge) -> Sequence[Judgement]:
    outcome = await CitationAccuracy().score(made, judge)
    breakdown = getattr(outcome, "breakdown", None) or {}
    return [
        Judgement(verdict=row["verdict"], support=row["support"], flags=tuple(row["flags"]))
        for row in breakdown["sentence_rows"]
    ]


def wrong_passage(rows: Sequence[Judged]) -> float | None:
    """Return how well support tells a supported citation from one of another passage."""
    cited = [r.support or 0.0 for r in rows if r.kind == "as_cited" and r.label == "supported"]
    moved = [r.support or 0.0 for r in rows if r.kind == "wrong_passage"]
    return auroc(cited, moved)


def supported_or_not(rows: Sequence[Judged]) -> float | None:
    """Return how well support tells supported rows from the others. Rows without claims are out."""
    told = [(row.support, row.supported) for row in rows if row.support is not None]
    return auroc([s for s, good in told if good], [s for s, good in told if not good])


async def claims_per_second(rows: Sequence[dict[str, JsonValue]]) -> float:
    """Return claims judged a second on one core, against 8,000 characters that are indexed before.

    The rows' own claims are taken, and their contexts, one after the other, as the evidence.
    """
    texts: list[str] = []
    evidence: dict[str, str] = {}
    room = _CONTEXT_CHARACTERS
    for made in map(trace, rows):
        if room <= 0:
            break
        texts += [claim.text for claim in claims(made.answer or "")]
        for passage in made.contexts or ():
            if passage.text not in evidence and room > 0:
                evidence[passage.text[:room]] = str(len(evidence) + 1)
                room -= len(passage.text)
    pieces = tuple(Evidence(key, text) for text, key in evidence.items())
    about = VerifyClaims(tuple(texts), pieces)
    rules = RulesJudge()
    question: Question[object] = Question(about, lambda reply: reply, "speed")
    await rules.ask(question)
    began, rounds = time.process_time(), 0
    while time.process_time() - began < _SPEED_SECONDS:
        await rules.ask(question)
        rounds += 1
    return rounds * len(texts) / (time.process_time() - began)


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def table(name: str, rows: Sequence[Judged]) -> Table:
    """Return the figures of one set for people."""
    verdicts = Counter(verdict for row in rows for verdict in row.verdicts)
    told = [row for row in rows if row.support is not None]
    high = [row for row in told if set(row.verdicts) == {"yes"}]
    low = [row for row in told if (row.support or 0.0) < ABSENT_BELOW]
    denied = [row for row in told if "no" in row.verdicts]
    numbered = [row for row in told if row.flags & _FLAGS]
    named = [row for row in told if "name" in row.flags]
    shown = Table(title=name, show_header=False)
    figures: dict[str, str] = {
        "rows (without claims)": f"{len(rows)} ({len(rows) - len(told)})",
        "AUROC of support": _shown(supported_or_not(rows)),
        "AUROC cited against wrong passage": _shown(wrong_passage(rows)),
        "verdicts": ", ".join(f"{word} {n}" for word, n in sorted(verdicts.items())),
        "share of claims undecided": _shown(verdicts["undecided"] / max(1, verdicts.total())),
        f"all yes (from {SUPPORTED_FROM}): rows, P(supported)": _zone(high, good=True),
        f"below {ABSENT_BELOW}: rows, P(unsupported)": _zone(low, good=False),
        "a no: rows, P(unsupported)": _zone(denied, good=False),
        "number or date flag: rows, P(unsupported)": _zone(numbered, good=False),
        "name flag: rows, P(unsupported)": _zone(named, good=False),
    }
    for figure, value in figures.items():
        shown.add_row(figure, value)
    return shown


def _zone(rows: Sequence[Judged], *, good: bool) -> str:
    return f"{len(rows)}, {_shown(share(rows, lambda row: row.supported == good))}"


async def measure(paths: Sequence[Path]) -> dict[str, list[Judged]]:
    """Judge every row of every set."""
    rules = RulesJudge()
    return {
        path.stem: [await judge(json.loads(line), rules) for line in _lines(path)] for path in paths
    }


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def main() -> None:
    """Print a table a set, then one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET")
    paths: list[Path] = parser.parse_args().sets
    sets = asyncio.run(measure(paths))
    console = Console()
    for name, rows in sets.items():
        console.print(table(name, rows))
    speed = asyncio.run(claims_per_second([json.loads(line) for line in _lines(paths[0])]))
    console.print(f"{speed:,.0f} claims a second and core at {_CONTEXT_CHARACTERS:,} characters")
    every = [row for rows in sets.values() for row in rows]
    flagged = [row for row in every if row.flags & _FLAGS]
    verdicts = Counter(verdict for row in every for verdict in row.verdicts)
    figures = {
        "auroc": {
            name: wrong_passage(rows) if wrong_passage(rows) is not None else supported_or_not(rows)
            for name, rows in sets.items()
        },
        "claims_per_s": round(speed),
        "number_flag_precision": share(flagged, lambda row: not row.supported),
        "undecided_share": verdicts["undecided"] / max(1, verdicts.total()),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
