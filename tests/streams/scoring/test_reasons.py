"""Why a bad answer is bad: who is asked, when, and that the verdict stands whatever is said."""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from schemas.score import Scored, Usage
from scorers.contract import (
    Answer,
    InvalidReplyError,
    Judge,
    JudgeIdentity,
    JudgeUnavailableError,
)
from scorers.faithfulness import Faithfulness
from scorers.judges.rules import RulesJudge
from scorers.questions import ExplainBad, Question
from scorers.redaction.judges import LiftingJudge
from scorers.redaction.rows import Covering
from scorers.redaction.veil import Redaction
from scorers.subjects import rewritten
from streams.scoring.panel import Judged, Seat, open_gate
from streams.scoring.reasons import Reasons
from tests.fakes import A, CountingJudge, PlainScorer, ScriptedJudge, a_trace, unavailable

LIE = "Lyon is the capital of France."
SAID = {"reason": "It names Lyon where the passage names Paris.", "agrees": True}


def a_seat(judge: Judge | None, *, deadline: float = 5) -> Seat:
    reasons = None if judge is None else Reasons(judge, open_gate)
    return Seat(PlainScorer(), CountingJudge(), timedelta(seconds=deadline), reasons=reasons)


async def judged(judge: Judge | None, answer: str = LIE, *, deadline: float = 5) -> Judged:
    return await a_seat(judge, deadline=deadline).judged(a_trace(answer))


def scored(judged: Judged) -> Scored:
    assert isinstance(judged.outcome, Scored)
    return judged.outcome


async def test_a_bad_answer_gets_its_reason_from_the_other_model() -> None:
    found = await judged(ScriptedJudge([SAID]))

    assert scored(found).reason == SAID["reason"]
    assert scored(found).flags == ()
    assert found.usage == Usage(calls=2, attempts=2, cost_usd=0.25)


async def test_nobody_is_asked_why_an_answer_is_good() -> None:
    assert scored(await judged(ScriptedJudge([]), "Paris.")).reason is None


async def test_the_model_is_shown_the_verdict_the_answer_and_its_evidence() -> None:
    judge = ScriptedJudge([SAID])

    await judged(judge)

    about = judge.asked[0].about
    assert isinstance(about, ExplainBad)
    assert (about.scorer, about.label, about.answer) == ("plain", "contradicted", LIE)
    assert [piece.text for piece in about.evidence or ()] == ["Paris is the capital of France."]


async def test_all_that_is_judged_text_can_be_rewritten_before_it_leaves() -> None:
    about = ExplainBad("s", "bad", {"claims": [{"text": "Ada", "support": 0.5}]}, "Ada", "Ada?")

    hidden = rewritten(about, lambda text: text.replace("Ada", "NAME"))

    assert hidden == ExplainBad(
        "s", "bad", {"claims": [{"text": "NAME", "support": 0.5}]}, "NAME", "NAME?"
    )


async def test_a_model_that_does_not_agree_is_flagged_and_changes_nothing() -> None:
    found = scored(await judged(ScriptedJudge([{"reason": "It is right.", "agrees": False}])))

    assert (found.bad, found.score, found.reason) == (True, 0, "It is right.")
    assert found.flags == ("reason_disagrees",)


FAILURES = {"timeout": unavailable("timeout"), "invalid_output": InvalidReplyError("no reason")}


@pytest.mark.parametrize(("cause", "error"), FAILURES.items())
async def test_a_reason_that_does_not_come_leaves_the_verdict(
    cause: str, error: JudgeUnavailableError
) -> None:
    plain = scored(await judged(None))
    error.usage = Usage(calls=1, attempts=3)

    found = await judged(ScriptedJudge([error]))

    assert scored(found) == plain.model_copy(
        update={"flags": ("reason_error",), "breakdown": {"reason_error": cause}}
    )
    assert found.usage.attempts == 4


@pytest.mark.parametrize(
    "reply",
    [{"reason": "so"}, {"reason": " ", "agrees": True}, {"reason": "so", "agrees": "yes"}],
)
async def test_a_reply_of_another_shape_is_no_reason(reply: dict[str, object]) -> None:
    found = scored(await judged(ScriptedJudge([reply])))

    assert (found.reason, found.flags) == (None, ("reason_error",))


@dataclass
class HangingJudge:
    """Never answers."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)
    identity: JudgeIdentity = field(default_factory=lambda: JudgeIdentity("hanging", "1", "other"))

    async def ask(self, question: Question[A]) -> Answer[A]:
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError


async def test_the_reason_has_what_is_left_of_the_rows_deadline() -> None:
    found = scored(await judged(HangingJudge(), deadline=0.05))

    assert found.bad
    assert found.breakdown["reason_error"] == "deadline"


async def test_a_row_that_is_given_up_does_not_wait_for_its_reason() -> None:
    judge = HangingJudge()
    row = asyncio.create_task(judged(judge))
    await judge.asked.wait()

    row.cancel()

    with pytest.raises(asyncio.CancelledError):
        await row


async def test_while_the_endpoint_refuses_everyone_no_reason_is_asked_for() -> None:
    async def shut() -> None:
        raise unavailable("http_401")

    seat = replace(a_seat(None), reasons=Reasons(ScriptedJudge([]), shut))

    found = scored(await seat.judged(a_trace(LIE)))

    assert found.breakdown["reason_error"] == "http_401"


async def test_no_value_that_is_hidden_reaches_the_model_or_comes_back_from_it() -> None:
    email = "ada@mill.example"
    judge = ScriptedJudge([{"reason": f"{email} opens at 9.", "agrees": True}])
    seat = Seat(
        Faithfulness(),
        LiftingJudge(RulesJudge()),
        timedelta(seconds=5),
        reasons=Reasons(judge, open_gate),
        covering=Covering(Redaction(("email",))),
    )
    passage = f"The desk of {email} opens at 9 am on weekdays."
    row = a_trace(f"The desk of {email} opens at 7 am on weekdays.", contexts=[passage])

    found = scored(await seat.judged(row))

    assert found.bad
    about = judge.asked[0].about
    assert isinstance(about, ExplainBad)
    assert "opens at 7 am" in str(about.findings)
    assert email not in str(about)
    assert (found.reason or "").endswith(" opens at 9.")
    assert email not in found.model_dump_json()


async def test_the_reasons_model_is_no_part_of_who_judged() -> None:
    with_reasons, without = await judged(ScriptedJudge([SAID])), await judged(None)

    assert with_reasons.seat.config_hash == without.seat.config_hash
    assert with_reasons.series == without.series
    assert with_reasons.resolved == without.resolved
