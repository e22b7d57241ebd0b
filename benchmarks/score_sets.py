"""`streamgauge score` on labelled sets: does the answer's support tell right from wrong?

    python benchmarks/score_sets.py SET.jsonl...

Each row becomes a trace in a temporary file, the command is run on it as a user would, and the
AUROC of the published `support` is printed with the counts. A set with a `kind` in its rows is one
of citations: there the citation scorer is compared on rows as cited and with a wrong passage.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from schemas.score import NotScorable, Scored, ScoreEvent
from streams.console.evidence import claims_of

Row = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Result:
    """How well one scorer's support tells the two kinds of rows apart."""

    auroc: float
    right: int
    wrong: int
    undecided: float


def as_trace(row: Row) -> Row:
    """Return a labelled row as an assistant would have logged it."""
    return {
        "trace_id": row["id"],
        "service": "labelled-set",
        "question": row["question"] or None,
        "contexts": row["contexts"],
        "answer": row["answer"],
    }


def scored(rows: Sequence[Row]) -> list[ScoreEvent]:
    """Run the command on the rows, and return what it printed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.jsonl"
        file.write_text("".join(json.dumps(as_trace(row)) + "\n" for row in rows))
        command = [str(Path(sys.executable).parent / "streamgauge"), "score", str(file), "--json"]
        done = subprocess.run(command, capture_output=True, check=True)  # noqa: S603 - our own
    return [ScoreEvent.model_validate_json(line) for line in done.stdout.splitlines()]


def support(event: ScoreEvent) -> float | None:
    """Return the support of the weakest claim, decided or not; None where there is no claim."""
    outcome = event.outcome
    if not isinstance(outcome, Scored | NotScorable) or outcome.breakdown is None:
        return None
    found = [claim.support for claim in claims_of(outcome.breakdown)]
    return min((one for one in found if one is not None), default=None)


def auroc(right: Sequence[float], wrong: Sequence[float]) -> float:
    """Return the chance that a right one has more support than a wrong one, ties counting half."""
    above = sum((r > w) + (r == w) / 2 for r in right for w in wrong)
    return above / (len(right) * len(wrong))


def compare(events: Sequence[ScoreEvent], right: set[str], wrong: set[str]) -> Result:
    """Compare the events of two groups of trace ids."""
    supports = {event.trace.trace_id: support(event) for event in events}
    of_right = [s for name in right if (s := supports.get(name)) is not None]
    of_wrong = [s for name in wrong if (s := supports.get(name)) is not None]
    outcomes = [e.outcome for e in events if e.trace.trace_id in right | wrong]
    undecided = sum(isinstance(o, NotScorable) and o.reason == "undecided" for o in outcomes)
    share = undecided / len(outcomes)
    return Result(auroc(of_right, of_wrong), len(of_right), len(of_wrong), share)


def measure(file: Path) -> tuple[str, Result]:
    """Return the scorer that a set is about, and its result."""
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    cited = "kind" in rows[0]
    scorer = "citation_accuracy" if cited else "faithfulness"
    events = [event for event in scored(rows) if event.scorer.name == scorer]
    ids: dict[bool, set[str]] = {True: set(), False: set()}
    for row in rows:
        if not cited:
            ids[row["supported"]].add(row["id"])
        elif row["kind"] == "as_cited" and row["label"] == "supported":
            ids[True].add(row["id"])
        elif row["kind"] == "wrong_passage":
            ids[False].add(row["id"])
    return scorer, compare(events, ids[True], ids[False])


def main() -> None:
    """Measure each set, print a table, and the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sets", nargs="+", type=Path)
    figures: dict[str, float] = {}
    print(f"{'set':28} {'scorer':18} {'AUROC':>6} {'right':>6} {'wrong':>6} {'undecided':>10}")
    for file in parser.parse_args().sets:
        scorer, found = measure(file)
        print(
            f"{file.stem:28} {scorer:18} {found.auroc:6.3f} {found.right:6} {found.wrong:6}"
            f" {found.undecided:10.1%}"
        )
        figures[f"auroc_{file.stem}"] = round(found.auroc, 4)
        figures[f"undecided_{file.stem}"] = round(found.undecided, 4)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
