"""Verdicts of live traffic and of runs, made by hand, and a folder log that holds them."""

from collections.abc import Sequence
from pathlib import Path

from schemas.run import Run, Spent, Stretch
from schemas.score import Outcome, Scored, ScoreEvent
from schemas.wire import to_milliseconds
from streams.address import Topics, letter
from streams.folder.writer import Entry, TopicWriter
from tests.streams.watch.records import MIDNIGHT, a_score

TOPICS = Topics()


def a_verdict(
    score: float,
    *,
    claim: str = "We open at 10.",
    quote: str = "Open from 10 am.",
    reason: str | None = None,
    flags: Sequence[str] = (),
) -> Scored:
    """Return a verdict with one claim: bad below 0.7."""
    bad = score < 0.7
    row = {
        "text": claim,
        "verdict": "no" if bad else "yes",
        "support": score,
        "evidence": {"key": "1", "quote": quote},
    }
    return Scored(
        score=score,
        normalized=score,
        bad=bad,
        label="contradicted" if bad else "supported",
        flags=tuple(flags),
        reason=reason,
        breakdown={"claims": [row]},
    )


def an_event(
    row: int,
    outcome: Outcome | float = 1.0,
    *,
    run: str | None = None,
    config: str = "c1",
    series: str = "",
    probability: float = 1.0,
    event_id: str = "",
    trace_id: str = "",
    topic: str = "rag.traces",
    offset: int | None = None,
) -> ScoreEvent:
    """Return the verdict on a row. Its id is that of its trace and configuration."""
    verdict = a_verdict(outcome) if isinstance(outcome, float) else outcome
    event = a_score(row, row, verdict, run=run, probability=probability, series=series or config)
    name = trace_id or event.trace.trace_id
    return event.model_copy(
        update={
            "event_id": event_id or f"{name}/{config}",
            "config_hash": config,
            "trace": event.trace.model_copy(update={"trace_id": name}),
            "origin": event.origin.model_copy(
                update={"topic": topic, "offset": row if offset is None else offset}
            ),
        }
    )


def a_run(name: str, *, end: int = 1000, state: str = "complete", shard: str | None = None) -> Run:
    """Return the manifest of a run over the first rows of one partition."""
    return Run.model_validate(
        {
            "run": name,
            "shard": shard,
            "topic": "rag.traces",
            "of": 1,
            "began_at": MIDNIGHT,
            "at": MIDNIGHT,
            "state": state,
            "frozen": {},
            "configs": {},
            "share": 0.3,
            "partitions": {0: Stretch(start=0, end=end)},
            "spent": Spent(rows=end),
        }
    )


def write(root: Path, events: Sequence[ScoreEvent], runs: Sequence[Run] = ()) -> None:
    """Write scores and manifests to the topics of a folder log."""
    letters = [letter(event, TOPICS) for event in events]
    scores = [Entry(one.key, one.value, 0, one.headers) for one in letters]
    manifests = [Entry(run.key.encode(), run.to_json(), to_milliseconds(run.at)) for run in runs]
    for topic, entries in ((TOPICS.scores, scores), (TOPICS.runs, manifests)):
        writer = TopicWriter.open(root, topic, partitions=1)
        writer.append(0, entries)
        writer.close()
