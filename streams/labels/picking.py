"""Which judged answers are worth a person's look: strata by verdict, each with a known chance.

    undecided                 the judge could decide nothing
    bad/…, good/…             its verdict, and of each verdict
        …/disagreement        another judge or a rule says otherwise
        …/near                the score is close to the line
        …/clear               the rest

Within a stratum every answer has the same chance, and it is never 0: so whatever is counted by
weights speaks of all answers. All answers of a stratum have one verdict, so that what people say of
them is a plain share. The same salt picks the same answers.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

from schemas.label import PickStratum, Prediction
from schemas.score import NotScorable, Scored, ScoreEvent
from streams.scoring.drawing import drawing
from streams.watch.panes.events import enters_rate

DISAGREEMENTS = frozenset(
    {"against_rules", "conflict", "label_mismatch", "reason_disagrees", "score_inconsistent"}
)
"""The flags of a verdict that something spoke against."""

NEAR = 0.15
"""How far from the line a score still is near it."""

SHARES: Mapping[str, int] = {
    "undecided": 5,
    "bad/disagreement": 10,
    "good/disagreement": 10,
    "bad/near": 10,
    "good/near": 15,
    "bad/clear": 20,
    "good/clear": 30,
}
"""How a person's time is divided, in percent. More to good verdicts: each stands for many."""

LEAST = len(SHARES)
"""The fewest answers that may be picked: none of the strata may be left out."""


@dataclass(frozen=True, slots=True)
class Pick:
    """A judged answer that a person shall look at."""

    event: ScoreEvent
    verdict: Prediction


def pick(
    events: Iterable[ScoreEvent], pass_at: Mapping[str, float], *, count: int, salt: str
) -> list[Pick]:
    """Return up to `count` answers of each scorer, of its latest series, in an order without sense.

    `events` are as they were written; what a replay judged only tells where judges disagree.
    `pass_at` is each scorer's line, where it has one. `count` is at least LEAST.
    """
    known = _distinct(events)
    live = [event for event in known if event.run is None]
    contested = _contested(known)
    picks: list[Pick] = []
    for series in _latest(live):
        here = [event for event in live if event.series == series]
        strata: defaultdict[str, list[ScoreEvent]] = defaultdict(list)
        for event in here:
            line = pass_at.get(event.scorer.name)
            strata[_stratum(event, line, contested=_row(event) in contested)].append(event)
        picks += _drawn(strata, pass_at, count=count, salt=salt)
    return _shuffled(picks, salt)


def allotted(sizes: Mapping[str, int], count: int) -> dict[str, int]:
    """Return how many of each stratum are picked: as SHARES say, one at least of each.

    What a small stratum cannot use the others share.
    """
    taken: dict[str, int] = {}
    left = dict(sizes)
    while left:
        room = count - sum(taken.values()) - len(left)
        whole = sum(SHARES[name] for name in left)
        quota = {name: 1 + room * SHARES[name] // whole for name in left}
        small = {name: size for name, size in left.items() if size <= quota[name]}
        if not small:
            return taken | quota
        taken |= small
        left = {name: size for name, size in left.items() if name not in small}
    return taken


def _distinct(events: Iterable[ScoreEvent]) -> list[ScoreEvent]:
    """Return the events that have a verdict, each once: the first counts."""
    found: dict[tuple[str, str | None], ScoreEvent] = {}
    for event in events:
        if _verdict(event):
            found.setdefault((event.event_id, event.run), event)
    return list(found.values())


def _verdict(event: ScoreEvent) -> Literal["bad", "good", "undecided"] | None:
    """Return what the judge said, None where it is not in the rate."""
    outcome = event.outcome
    if isinstance(outcome, NotScorable) and outcome.reason == "undecided":
        return "undecided"
    if not isinstance(outcome, Scored) or not enters_rate(outcome):
        return None
    return "bad" if outcome.bad else "good"


def _stratum(event: ScoreEvent, line: float | None, *, contested: bool) -> str:
    verdict, outcome = _verdict(event), event.outcome
    if verdict == "undecided" or not isinstance(outcome, Scored):
        return "undecided"
    if contested or not DISAGREEMENTS.isdisjoint(outcome.flags):
        return f"{verdict}/disagreement"
    if line is not None and abs(outcome.normalized - line) <= NEAR:
        return f"{verdict}/near"
    return f"{verdict}/clear"


def _row(event: ScoreEvent) -> tuple[str, str, str]:
    return event.trace.trace_id, event.trace.span_id or "", event.scorer.name


def _contested(events: Iterable[ScoreEvent]) -> set[tuple[str, str, str]]:
    """Return the rows of which several judges of a scorer said different things."""
    said: defaultdict[tuple[str, str, str], set[str | None]] = defaultdict(set)
    for event in events:
        said[_row(event)].add(_verdict(event))
    return {row for row, verdicts in said.items() if {"bad", "good"} <= verdicts}


def _latest(events: Iterable[ScoreEvent]) -> list[str]:
    """Return the series of each scorer that spoke last."""
    last: dict[str, ScoreEvent] = {}
    for event in events:
        before = last.get(event.scorer.name)
        if before is None or event.scored_at >= before.scored_at:
            last[event.scorer.name] = event
    return sorted(event.series for event in last.values())


def _drawn(
    strata: Mapping[str, Sequence[ScoreEvent]],
    pass_at: Mapping[str, float],
    *,
    count: int,
    salt: str,
) -> list[Pick]:
    """Draw from each stratum: those first whose ids hash to the smallest numbers."""
    draw = drawing(salt)
    take = allotted({name: len(events) for name, events in strata.items()}, count)
    picks = []
    for name, events in strata.items():
        stands_for = [1 / event.sampling.probability for event in events]
        stratum = PickStratum(
            name=name,
            picked=take[name] / len(events),
            answers=fsum(stands_for),
            squares=fsum(number * number for number in stands_for),
        )
        first = sorted(events, key=lambda event: draw(event.event_id.encode()))[: take[name]]
        picks += [_picked(event, stratum, pass_at.get(event.scorer.name)) for event in first]
    return picks


def _picked(event: ScoreEvent, stratum: PickStratum, line: float | None) -> Pick:
    outcome = event.outcome
    verdict = Prediction(
        scorer=event.scorer,
        judge=event.judge,
        series=event.series,
        verdict=_verdict(event) or "undecided",
        score=outcome.normalized if isinstance(outcome, Scored) else None,
        pass_at=line,
        sampled=event.sampling.probability,
        stratum=stratum,
        origin=event.origin,
    )
    return Pick(event, verdict)


def _shuffled(picks: Sequence[Pick], salt: str) -> list[Pick]:
    """Return the picks in an order that tells nothing of their strata: scorer after scorer.

    Whoever stops half-way has labelled a random half.
    """
    draw = drawing(salt)

    def place(one: Pick) -> tuple[str, bytes]:
        return one.event.scorer.name, draw(b"order of " + one.event.event_id.encode())

    return sorted(picks, key=place)
