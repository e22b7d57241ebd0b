"""Judged answers and labelled ones, made by hand."""

from collections.abc import Sequence

from schemas.label import Label, PickStratum, Prediction
from schemas.score import JudgeRef, Outcome, Scored, ScoreEvent, ScorerRef
from streams.labels.reading import Labelled
from tests.streams.watch.records import a_score

LINE = 0.7


def an_event(
    row: int,
    score: float = 1.0,
    *,
    bad: bool | None = None,
    flags: Sequence[str] = (),
    outcome: Outcome | None = None,
    probability: float = 1.0,
    series: str = "s1",
    run: str | None = None,
    second: float = 0.0,
) -> ScoreEvent:
    """Return the verdict on a row: bad below the line, unless it is said otherwise."""
    verdict = Scored(
        score=score,
        normalized=score,
        bad=score < LINE if bad is None else bad,
        label="supported",
        flags=tuple(flags),
    )
    return a_score(
        row,
        second,
        outcome or verdict,
        event_id=f"{row}/{series}/{run}",
        series=series,
        run=run,
        probability=probability,
    )


def labelled(
    verdict: str,
    label: Label | None,
    *,
    times: int = 1,
    stratum: str = "clear",
    picked: float = 1.0,
    sampled: float = 1.0,
    of: float = 100.0,
    score: float | None = None,
) -> list[Labelled]:
    """Return the same label so many times. `of` is how many answers the stratum stands for."""
    event = an_event(0)
    one = Prediction.model_validate(
        {
            "scorer": ScorerRef(name="faithfulness", version="1"),
            "judge": JudgeRef(name="rules", version="1"),
            "series": "s1",
            "verdict": verdict,
            "score": score if score is not None else {"bad": 0.2, "good": 1.0}.get(verdict),
            "pass_at": LINE,
            "sampled": sampled,
            "stratum": PickStratum(
                name=f"{verdict}/{stratum}", picked=picked, answers=of, squares=of / sampled
            ),
            "origin": event.origin,
        }
    )
    return [Labelled(one, label)] * times
