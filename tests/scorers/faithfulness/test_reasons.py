"""Reasons and prompts: asked for and kept where the settings say so."""

from scorers.questions import ExplainVerdicts
from tests.fakes import ScriptedJudge, unavailable
from tests.scorers.faithfulness.rows import scored, verdicts


async def test_the_reason_is_asked_for_with_the_verdicts_that_made_the_score() -> None:
    judge = ScriptedJudge([verdicts("yes", "no"), {"reason": "Half of it holds."}])

    outcome = await scored(judge, include_reason=True)

    about = judge.asked[1].about
    assert isinstance(about, ExplainVerdicts)
    assert [verdict for _, verdict, _ in about.verdicts] == ["yes", "no"]
    assert (outcome.score, outcome.reason) == (about.score, "Half of it holds.")


async def test_a_reason_that_cannot_be_had_leaves_the_score() -> None:
    judge = ScriptedJudge([verdicts("yes", "yes"), unavailable("http_503")])

    outcome = await scored(judge, include_reason=True)

    assert (outcome.score, outcome.reason) == (1.0, None)
    assert outcome.breakdown["reason_error"] == "http_503"


async def test_prompts_are_kept_only_when_asked_for() -> None:
    kept = await scored(ScriptedJudge([verdicts("yes", "yes")]), keep_prompts=True)
    not_kept = await scored(ScriptedJudge([verdicts("yes", "yes")]))

    assert kept.breakdown["prompts"] == [{"subject": "VerifyClaims", "text": "what was sent"}]
    assert "prompts" not in not_kept.breakdown
