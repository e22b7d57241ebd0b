"""Verdicts on a row and pairs of them, made by hand."""

from streams.replay.pairs import Pair, Speaker, Verdict


def speaker(series: str = "s1", config: str = "c1") -> Speaker:
    return Speaker("1", "rules", "1", "", config, series)


def a_verdict(
    score: float | None,
    *,
    bad: bool | None = None,
    status: str = "",
    probability: float = 1.0,
    reused: bool = False,
    by: Speaker | None = None,
    scorer: str = "faithfulness",
    place: int = 0,
) -> Verdict:
    """Return a verdict that is bad below 0.7; without a score it is an error."""
    rated = bad if bad is not None or score is None else score < 0.7
    return Verdict(
        scorer=scorer,
        speaker=by or speaker(),
        status=status or ("error" if score is None else "scored"),
        score=score,
        bad=rated,
        probability=probability,
        reused=reused,
        place=(0, place),
    )


def a_pair(before: float | None, after: float | None, *, probability: float = 1.0) -> Pair:
    return Pair(
        a_verdict(before, probability=probability), a_verdict(after, probability=probability)
    )
