"""The sink of `score FILE`: a line an answer for people, JSON lines for programs, and a summary."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from rich.console import Console

from schemas.mark import Mark
from schemas.rejection import Rejection
from schemas.score import Failed, InvalidInput, NotScorable, Scored, ScoreEvent
from streams.console.evidence import claims_of
from streams.console.lines import counted
from streams.console.tables import figures, fits
from streams.ports import Message, Record

_COUNTED = ("rows", "scored", "bad", "undecided", "not scorable", "invalid", "error")


@dataclass(slots=True)
class PrintingSink:
    """Prints each verdict as it comes. With `as_json`, stdout carries the events, and only them."""

    out: Console
    as_json: bool
    rejected: int = 0
    _scorers: dict[str, Counter[str]] = field(default_factory=dict)
    _causes: set[str] = field(default_factory=set)

    async def publish(self, messages: Sequence[Message]) -> None:
        """Print the scored events; tallies are of no use here."""
        for event in messages:
            if isinstance(event, ScoreEvent):
                self._count(event)
                if self.as_json:
                    sys.stdout.write(event.to_json().decode() + "\n")
                    sys.stdout.flush()  # whoever reads the pipe waits for this verdict
                else:
                    self._print(event)

    async def mark(self, mark: Mark) -> None:
        """Nobody waits for time here."""

    async def reject(self, record: Record, rejection: Rejection, *, at: datetime) -> None:
        """Say which line could not be read, and why."""
        self.rejected += 1
        why = f"{rejection.reason}: {rejection.detail}"
        if rejection.reason == "no_identity":
            why += "; or give --assistant service/environment"
        where = f"line {record.offset + 1}"
        self.out.print(f"{where}: rejected, {why}", style="red", markup=False, soft_wrap=True)

    def _count(self, event: ScoreEvent) -> None:
        outcome, counts = event.outcome, self._scorers.setdefault(event.scorer.name, Counter())
        counts[outcome.status] += 1
        counts["rows"] += 1
        if isinstance(outcome, Scored):
            counts["bad"] += outcome.bad
        if isinstance(outcome, NotScorable) and outcome.reason == "undecided":
            counts["undecided"] += 1
        if isinstance(outcome, Failed):
            self._causes.add(outcome.error.cause or outcome.error.kind)

    def _print(self, event: ScoreEvent) -> None:
        outcome = event.outcome
        match outcome:
            case Scored():
                style = "red" if outcome.bad else "green"
                verdict = f"{outcome.label} {outcome.score:.2f}"
            case NotScorable() | InvalidInput():
                style, verdict = "dim", f"{outcome.status}: {outcome.reason}"
            case Failed():
                style, verdict = "yellow", f"error: {outcome.error.cause or outcome.error.kind}"
        line = f"{event.trace.trace_id}  {event.scorer.name}  {verdict}"
        self.out.print(line, style=style, highlight=False, markup=False, soft_wrap=True)
        if isinstance(outcome, Scored) and outcome.bad:
            self._explain(outcome)

    def _explain(self, bad: Scored) -> None:
        """Print why an answer is bad, and which claims of it are."""
        if bad.reason:
            self._line(f"    {bad.reason}")
        for claim in claims_of(bad.breakdown):
            if claim.good is False:
                self._line(f"    {claim.verdict}: {claim.text}")
                if claim.evidence:
                    self._line(f"      {claim.evidence}")

    def _line(self, text: str) -> None:
        self.out.print(text, highlight=False, markup=False, soft_wrap=True)

    @property
    def well(self) -> bool:
        """Say whether every row could be read and judged."""
        errors = sum(counts["error"] for counts in self._scorers.values())
        return self.rejected == 0 and errors == 0

    @property
    def way_out(self) -> str | None:
        """What to do about verdicts that failed; None where none did."""
        if "private_address" in self._causes:
            return (
                "private_address: the judge lies in a private network, and was not connected to; "
                "if that is meant, set judge.allow_private_addresses: true"
            )
        return "streamgauge check says why, and what to set" if self._causes else None

    def summarise(self) -> None:
        """Print the counts of all scorers: a table where it fits, lines elsewhere."""
        rejected = f"; {counted(self.rejected, 'row')} rejected" if self.rejected else ""
        table = figures("scorer", *_COUNTED, title=f"scored{rejected}")
        for name, counts in self._tallied():
            table.add_row(name, *map(str, counts))
        if fits(table, self.out):
            self.out.print(table)
            return
        self._line(f"scored{rejected}")
        for name, counts in self._tallied():
            said = (f"{what} {count}" for what, count in zip(_COUNTED, counts, strict=True))
            self._line(f"{name}: {', '.join(said)}")

    def _tallied(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield each scorer with what is counted of it, in the order of `_COUNTED`."""
        for name, found in sorted(self._scorers.items()):
            other = found["not_scorable"] - found["undecided"]
            cells = (found["rows"], found["scored"], found["bad"], found["undecided"], other)
            yield name, (*cells, found["invalid_input"], found["error"])
