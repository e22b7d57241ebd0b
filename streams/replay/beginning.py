"""How a run begins, and how it goes on: what was asked must agree with what it began with. Pure."""

from collections.abc import Iterable
from datetime import datetime

from pydantic import JsonValue

from schemas.run import Run
from schemas.wire import rfc3339
from streams.replay.asked import Asked
from streams.replay.planning import Extents, Plan, ReplayRefusedError

SHARE = 0.3
"""The part of the judge's limits that a run takes, in (0, 1]."""


def begun(asked: Asked, plan: Plan, kept: dict[str, JsonValue], *, topic: str, at: datetime) -> Run:
    """Return the manifest of a run that begins now. Its configurations are added by who judges."""
    return Run(
        run=asked.run,
        shard=None if asked.shard is None else str(asked.shard),
        topic=topic,
        topic_id=plan.topic_id,
        of=max(1, plan.of),
        from_=asked.begin,
        to=asked.end,
        began_at=at,
        at=at,
        frozen=kept,
        configs={},
        again=asked.again,
        share=SHARE,
        partitions=plan.stretches,
    )


def taken_up(before: Run, asked: Asked, *, topic: str) -> Run:
    """Return the manifest of a run that goes on, in its next life. Raises ReplayRefusedError."""
    check_agrees(before, asked, topic=topic)
    return before.model_copy(update={"life": before.life + 1, "state": "running"})


def bounded(run: Run, asked: Asked) -> Run:
    """Return the run with the budget that is asked for; where none is, it keeps its own."""
    if asked.limit is None:
        return run
    return run.model_copy(
        update={"most_calls": asked.limit.calls, "most_usd": asked.limit.cost_usd}
    )


def check_known(asked: Asked, begun: Iterable[Run]) -> None:
    """Refuse to begin a run that something is asked about. Raises ReplayRefusedError."""
    names = sorted({run.run for run in begun})
    if asked.known and asked.run not in names:
        there = f"there are {', '.join(names)}" if names else "there is none yet"
        raise ReplayRefusedError(
            f"--run: no run {asked.run} has begun ({there}): --from or --to begin one"
        )


def part_of(asked: Asked, parts: Iterable[Run], *, topic: str) -> Run | None:
    """Return another part of the run, for all begin as the first one did; None: there is none.

    Raises ReplayRefusedError where they share the partitions out otherwise, or began otherwise.
    """
    others = [run for run in parts if run.run == asked.run and run.key != asked.key]
    for other in others:
        if other.key not in asked.keys:
            part = "as a whole" if other.shard is None else f"with --shard {other.shard}"
            raise ReplayRefusedError(
                f"--shard: run {asked.run} began {part}: its parts would overlap. Go on "
                "with those, or give another --run"
            )
        check_agrees(other, asked, topic=topic)
    return others[0] if others else None


def check_agrees(before: Run, asked: Asked, *, topic: str) -> None:
    """Refuse what differs from how the run began. Raises ReplayRefusedError."""
    sampling = before.frozen.get("sampling")
    drawn = sampling.get("probability") if isinstance(sampling, dict) else None
    began: list[tuple[str, object, object]] = [
        ("--from", asked.begin, before.from_),
        ("--to", asked.end, before.to),
        ("--probability", asked.probability, drawn),
        ("--again", asked.again or None, before.again),
        ("the topic", topic, before.topic),
    ]
    for option, now, then in began:
        if now is not None and now != then:
            raise ReplayRefusedError(
                f"{option}: run {before.run} began with {_said(then)}: leave it out to go on, or "
                "give another --run"
            )


def check_same_log(run: Run, there: Extents) -> None:
    """Refuse a run whose offsets mean other rows now, or none. Raises ReplayRefusedError."""
    ends = {n: there.partitions[n].end if n in there.partitions else 0 for n in run.partitions}
    if there.topic_id != run.topic_id:
        why = "its offsets mean other rows now"
    elif any(ends[n] < stretch.end for n, stretch in run.partitions.items()):
        why = "it has fewer rows now"
    else:
        return
    raise ReplayRefusedError(
        f"{run.topic} was made anew since run {run.run} began: {why}. Begin another run"
    )


def _said(value: object) -> str:
    if isinstance(value, datetime):
        return rfc3339(value)
    return "none" if value is None or value is False else str(value)
