"""A backtest as people and programs read it: each episode, what was seen, and how often. Pure."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import JsonValue

from schemas.alert import Alert
from schemas.score import ScoreEvent
from schemas.wire import rfc3339
from streams.console.alerting import (
    changes,
    failed,
    figures_account,
    of_its_scorer,
    title,
    worst_account,
)
from streams.console.backtest import Heard
from streams.console.lines import Line

Scores = Mapping[str, Sequence[ScoreEvent]]
"""The scores of traces, by trace id."""

_MINUTE = timedelta(minutes=1)
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Episode:
    """An alert from when it fired to when it was resolved; `steps` are what is said of it."""

    steps: tuple[Alert, ...]

    @property
    def fired(self) -> Alert:
        """What was said first."""
        return self.steps[0]

    @property
    def ends_at(self) -> datetime | None:
        """When it was resolved, None while it stands."""
        return self.steps[-1].ends_at


@dataclass(frozen=True, slots=True)
class Count:
    """How often a rule fired, how often a day that is, and for how many minutes."""

    episodes: int = 0
    per_day: float = 0.0
    minutes: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """The episodes that fall into [start, end), and what they add up to by rule.

    `made_until` is how far time had to be made from the scores, None where all of it was told.
    """

    episodes: tuple[Episode, ...]
    counts: Mapping[str, Count]
    start: datetime
    end: datetime
    scores: int
    made_until: datetime | None = None

    @property
    def traces(self) -> set[str]:
        """The worst answers of all episodes."""
        alerts = (step for episode in self.episodes for step in episode.steps)
        return {exemplar.trace_id for alert in alerts for exemplar in alert.exemplars}


def report(
    heard: Heard, rules: Sequence[str], *, start: datetime | None, end: datetime | None
) -> Report | None:
    """Put what was heard in order; None where no time passed in [start, end) at all."""
    if heard.start is None or heard.end is None or not heard.scores:
        return None
    start = heard.start if start is None else max(start, heard.start)
    end = heard.end if end is None else min(end, heard.end)
    if end <= start:
        return None
    steps: defaultdict[str, list[Alert]] = defaultdict(list)
    for alert in heard.alerts:
        steps[alert.alert_id].append(alert)
    every = [Episode(tuple(some)) for some in steps.values()]
    here = [one for one in every if _within(one, start, end)]
    counts = {name: _count(name, here, start, end) for name in rules}
    return Report(tuple(here), counts, start, end, heard.scores, heard.made_until)


def _within(one: Episode, start: datetime, end: datetime) -> bool:
    return one.fired.starts_at < end and (one.ends_at is None or one.ends_at > start)


def _count(rule: str, episodes: Sequence[Episode], start: datetime, end: datetime) -> Count:
    """Count a rule's episodes, and the minutes of those that lie in [start, end)."""
    mine = [one for one in episodes if one.fired.rule == rule]
    spans = (min(one.ends_at or end, end) - max(one.fired.starts_at, start) for one in mine)
    minutes = sum(spans, timedelta()) // _MINUTE
    return Count(len(mine), len(mine) * (_DAY / (end - start)), minutes)


def account(found: Report, scores: Scores) -> Iterator[Line]:
    """Say when each rule would have fired and ended, and what it saw at that moment."""
    yield Line(f"{found.scores:,} scores, {_span(found)} UTC")
    if found.made_until is not None:
        yield Line(
            f"no marks are left from before {found.made_until:%Y-%m-%d %H:%M} UTC: until then time "
            "is taken from the scores, and nobody can say when the score half stood still"
        )
    for episode in found.episodes:
        yield from _episode(episode, scores)
    for rule, count in found.counts.items():
        often = f"episodes {count.episodes}, a day {count.per_day:.2f}"
        yield Line(f"{rule}: {often}, minutes firing {count.minutes:,}")


def _episode(episode: Episode, scores: Scores) -> Iterator[Line]:
    fired = episode.fired
    yield Line(title(fired), tone="bad")
    for step in episode.steps:
        said = step.annotations.get("summary", step.status)
        tone = "good" if step.status == "resolved" else "bad"
        yield Line(f"{step.status} at {step.evaluated_at:%Y-%m-%d %H:%M} UTC: {said}", 1, tone)
        yield from (Line(one.text, one.depth + 1, one.tone) for one in figures_account(step))
        seen = [*changes(step)] if step is fired else []
        seen += worst_account(step, scores) if step.status == "firing" else ()
        yield from (Line(one.text, one.depth + 2, one.tone) for one in seen)
    if episode.ends_at is None:
        yield Line("not resolved by the end", 1, "bad")


def json_lines(found: Report, scores: Scores) -> Iterator[str]:
    """Yield an object for each episode, and one for all of them."""
    for episode in found.episodes:
        fired, ends = episode.fired, episode.ends_at
        yield _json(
            kind="episode",
            alert_id=fired.alert_id,
            rule=fired.rule,
            labels=dict(fired.labels),
            fired_at=rfc3339(fired.starts_at),
            resolved_at=None if ends is None else rfc3339(ends),
            steps=[step.model_dump(mode="json", by_alias=True) for step in episode.steps],
            failed_claims=_claims(episode, scores),
        )
    yield _json(
        kind="summary",
        start=rfc3339(found.start),
        end=rfc3339(found.end),
        scores=found.scores,
        time_made_until=None if found.made_until is None else rfc3339(found.made_until),
        rules={
            rule: {
                "episodes": count.episodes,
                "episodes_per_day": round(count.per_day, 4),
                "minutes_firing": count.minutes,
            }
            for rule, count in found.counts.items()
        },
    )


def _claims(episode: Episode, scores: Scores) -> dict[str, JsonValue]:
    """Return by trace id what failed in the worst answers, when the alert fired."""
    fired = episode.fired
    return {
        exemplar.trace_id: [
            {"verdict": claim.verdict, "claim": claim.text, "evidence": claim.evidence}
            for event in of_its_scorer(fired, scores.get(exemplar.trace_id, ()))
            for claim in failed(event)
        ]
        for exemplar in fired.exemplars
    }


def _json(**values: JsonValue) -> str:
    return json.dumps(values, ensure_ascii=False)


def _span(found: Report) -> str:
    return f"{found.start:%Y-%m-%d %H:%M} to {found.end:%Y-%m-%d %H:%M}"
