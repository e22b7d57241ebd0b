"""A comparison as JSON lines, for programs: `docs/comparing.md` tells their keys. Pure."""

import json
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from streams.replay.against import Report
from streams.replay.comparison import ScorerComparison
from streams.replay.flips import Flip, Said
from streams.replay.pairs import Speaker
from streams.replay.report.accounts import outcomes
from streams.watch.estimates.changes import Change
from streams.watch.estimates.rates import Rate

SCHEMA = "streamgauge.comparison/1"


def json_lines(report: Report, options: str) -> Iterator[str]:
    """Yield one object for the whole, one of each scorer, one of each flip that is shown."""
    yield _json(
        schema=SCHEMA,
        kind="comparison",
        run=report.after,
        against=report.before,
        scorers=[one.scorer for one in report.scorers],
        notes=list(report.notes),
    )
    for one in report.scorers:
        yield _json(schema=SCHEMA, kind="scorer", **_scorer(one))
    for flip in report.flips:
        yield _json(schema=SCHEMA, kind="flip", **_flip(flip, options))


def _scorer(one: ScorerComparison) -> dict[str, JsonValue]:
    before, after = map(_judges, one.speakers)
    found: dict[str, JsonValue] = {
        "scorer": one.scorer,
        "pairs": one.pairs,
        "only_against": one.only_before,
        "only_run": one.only_after,
        "reused": one.reused,
        "judges_against": before,
        "judges_run": after,
        "outcomes": {f"{was}/{became}": count for (was, became), count in outcomes(one).items()},
    }
    rates, scores = one.rates, one.scores
    if rates is not None:
        names = ("bad_both", "bad_only_against", "bad_only_run", "bad_neither")
        found |= {name: int(cell) for name, cell in zip(names, rates.square, strict=True)}
        found |= _limited("rate_against", rates.before) | _limited("rate_run", rates.after)
        found |= _limited("rate_change", rates.change)
        found |= {"n_eff": rates.before.n_eff, "mcnemar_p": rates.mcnemar, "kappa": rates.kappa}
    if scores is not None:
        found |= {"scored_both": scores.pairs, "score_histogram": list(scores.histogram)}
        found |= {"score_against": scores.before, "score_run": scores.after}
        found |= _limited("score_change", scores.change)
    return found


def _judges(speakers: Mapping[Speaker, int]) -> list[JsonValue]:
    return [{**speaker._asdict(), "verdicts": count} for speaker, count in speakers.items()]


def _limited(name: str, one: Rate | Change) -> dict[str, JsonValue]:
    return {name: one.value, f"{name}_lower": one.lower, f"{name}_upper": one.upper}


def _flip(flip: Flip, options: str) -> dict[str, JsonValue]:
    sides: Mapping[str, Said] = {"against": flip.before, "run": flip.after}
    found: dict[str, JsonValue] = {
        "scorer": flip.scorer,
        "trace_id": flip.trace_id,
        "span_id": flip.span_id,
        "to": "bad" if flip.after.bad else "good",
        "probability": flip.probability,
        "show": flip.show(options),
    }
    for name, said in sides.items():
        found |= {
            f"{name}_score": said.score,
            f"{name}_label": said.label,
            f"{name}_claim": said.claim,
            f"{name}_finding": said.finding,
            f"{name}_evidence": said.evidence,
            f"{name}_reason": said.reason,
        }
    return found


def _json(**values: JsonValue) -> str:
    return json.dumps(values, ensure_ascii=False, allow_nan=False)
