"""Rows that two sides disagree on, as people read them: what decides, on which evidence. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from shlex import quote

from schemas.score import Scored, ScoreEvent
from streams.console.evidence import ClaimView, claims_of
from streams.replay.pairs import Pair

MOST = 20
"""Flips to either side that are shown of each scorer."""

_LONGEST = 300
_JOINERS = "\u200c\u200d"
"""Not printable, and yet letters of some scripts need them."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one side says of a row: its word, and the claim that decides, as far as it is published.

    All texts are on one line, and without anything that a terminal would obey.
    """

    bad: bool
    score: float
    label: str
    finding: str = ""
    claim: str = ""
    evidence: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Flip:
    """A row that is bad on one side only. `probability`: that of its being judged on both."""

    scorer: str
    trace_id: str
    span_id: str | None
    probability: float
    before: Said
    after: Said

    def show(self, options: str) -> str:
        """Return the command that tells all of the row."""
        dashes = "-- " if self.trace_id.startswith("-") else ""
        return f"streamgauge show{options} {dashes}{quote(self.trace_id)}"


def worth_showing(flipped: Sequence[Pair]) -> list[Pair]:
    """Return the worst flips of a scorer, of either side some."""
    return [
        pair
        for to_bad in (True, False)
        for pair in islice((one for one in flipped if one.after.bad is to_bad), MOST)
    ]


def flip(pair: Pair, before: ScoreEvent, after: ScoreEvent) -> Flip | None:
    """Return a flipped pair with its texts; None where an event is not the one that flipped."""
    if not (isinstance(before.outcome, Scored) and isinstance(after.outcome, Scored)):
        return None
    to_bad = bool(pair.after.bad)
    worse, better = (after.outcome, before.outcome) if to_bad else (before.outcome, after.outcome)
    against = _weakest(claims_of(worse.breakdown), failed=True)
    other = _counterpart(claims_of(better.breakdown), against)
    spoken = (_said(worse, against, bad=True), _said(better, other, bad=False))
    said_after, said_before = spoken if to_bad else spoken[::-1]
    trace = after.trace
    return Flip(
        after.scorer.name,
        plain(trace.trace_id),
        trace.span_id and plain(trace.span_id),
        pair.chance,
        before=said_before,
        after=said_after,
    )


def _weakest(claims: Sequence[ClaimView], *, failed: bool) -> ClaimView | None:
    """Return the claim with the least support; of those that failed, where any did."""
    chosen = [claim for claim in claims if claim.good is False] if failed else []
    return min(chosen or claims, key=_support, default=None)


def _support(claim: ClaimView) -> float:
    """Return a claim's support; of a judge that gives none the first claim comes first."""
    return 0.0 if claim.support is None else claim.support


def _counterpart(claims: Sequence[ClaimView], against: ClaimView | None) -> ClaimView | None:
    """Return the other side's word on the claim that decided against the answer."""
    same = (claim for claim in claims if against is not None and claim.text == against.text)
    return next(same, None) or _weakest(claims, failed=False)


def _said(outcome: Scored, claim: ClaimView | None, *, bad: bool) -> Said:
    texts: Mapping[str, str] = (
        {}
        if claim is None
        else {
            "finding": claim.verdict,
            "claim": claim.text,
            "evidence": claim.evidence,
        }
    )
    reason = (claim and claim.reason) or outcome.reason or ""
    return Said(
        bad=bad,
        score=outcome.normalized,
        label=plain(outcome.label),
        reason=_short(reason),
        **{name: _short(text) for name, text in texts.items()},
    )


def _short(text: str) -> str:
    line = plain(text)
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def plain(text: str) -> str:
    """Return a text on one line, without control characters and marks of direction."""
    return " ".join("".join(c if c.isprintable() or c in _JOINERS else " " for c in text).split())
