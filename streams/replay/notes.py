"""What makes the figures of a comparison less than whole, in sentences. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence

from schemas.run import Run
from streams.address import LIVE
from streams.replay.comparison import ScorerComparison
from streams.replay.sides import Side

_NUMBERS = re.compile(r"[0-9]+")


def notes(
    sides: tuple[Side, Side], found: Sequence[ScorerComparison], shards: Mapping[str, Sequence[Run]]
) -> Iterator[str]:
    """Say what is missing of each side, and where a scorer's figures mix or repeat judges."""
    names = [LIVE if side.run is None else side.run for side in sides]
    for side, name, other in reversed([*zip(sides, names, reversed(names), strict=True)]):
        if side.run is not None:
            yield from _of_run(side.run, shards.get(side.run, ()))
        if side.outside:
            yield f"verdicts of {name} on rows that {other} does not cover, left out: " + (
                f"{side.outside:,}"
            )
        if side.unreadable:
            yield f"records of {name} that cannot be read as scores: {side.unreadable:,}"
    for one in found:
        yield from _of_scorer(one, names)


def _of_run(name: str, manifests: Sequence[Run]) -> Iterator[str]:
    if not manifests:
        yield f"{name} has no manifest: nobody can say whether it is complete"
        return
    state = _state(manifests)
    if state != "complete":
        rows = sum(one.spent.rows for one in manifests)
        yield f"{name} is not complete ({state}, {rows:,} rows so far): what is there is compared"
    if any(one.with_gaps for one in manifests):
        yield f"{name} has gaps: rows that it was to cover were no more"


def _state(manifests: Sequence[Run]) -> str:
    """Return the state of a run: that of the shard that is furthest from its end."""
    shares = max((_shards(one.shard) for one in manifests), default=1)
    if len(manifests) < shares:
        return f"{len(manifests)} of {shares} shards"
    states = {one.state for one in manifests}
    return next(state for state in ("running", "stopped", "complete") if state in states)


def _shards(shard: str | None) -> int:
    """Return the n of a shard i/n."""
    numbers = _NUMBERS.findall(shard or "")
    return int(numbers[-1]) if numbers else 1


def _of_scorer(one: ScorerComparison, names: Sequence[str]) -> Iterator[str]:
    for name, mixed in zip(names, one.mixed, strict=True):
        if mixed:
            yield f"{one.scorer}: {name} mixes several series: the figures are of no one judge"
    before, after = ({speaker.config_hash for speaker in side} for side in one.speakers)
    if one.pairs and before == after:
        yield f"{one.scorer}: both sides have one configuration: only pass_at or chance can differ"
    if one.reused:
        yield f"{one.scorer}: {one.reused:,} of {one.pairs:,} pairs hold a verdict that was " + (
            "published again, and not given anew: perhaps the other side's own"
        )
