"""Rows whose partition is taken away: they cost nothing more, and nothing is said about them."""

from dataclasses import dataclass, field

from tenacity.wait import wait_none

from schemas.score import ScoringError
from scorers.contract import Answer, JudgeIdentity, JudgeUnavailableError
from scorers.judges.bounded import BoundedJudge, Limits
from scorers.judges.concurrency import Concurrency
from scorers.judges.retrying import RetryingJudge
from scorers.questions import Question
from tests.fakes import (
    A,
    CountingJudge,
    ListSource,
    a_trace,
)
from tests.streams.scored import rows, score, seat


async def test_a_revoked_row_costs_no_question_and_is_not_done() -> None:
    judge, source = CountingJudge(), rows(a_trace())
    source.held = False

    await score(source, seat(judge))

    assert (judge.asked, source.finished) == ([], [])


@dataclass
class LosingJudge:
    """Fails, and has its partition taken away meanwhile. `asked`: how often."""

    source: ListSource
    asked: int = 0
    identity: JudgeIdentity = field(default_factory=lambda: JudgeIdentity("losing", "1"))

    async def ask(self, question: Question[A]) -> Answer[A]:
        self.asked += 1
        self.source.held = False
        raise JudgeUnavailableError(ScoringError(kind="judge_failed", cause="timeout"))


async def test_a_row_that_was_revoked_after_a_failed_attempt_is_not_asked_about_again() -> None:
    """I2: whoever has its partition by then asks, and may have been answered long ago."""
    source = rows(a_trace())
    judge = LosingJudge(source)
    once = BoundedJudge(judge, Limits(Concurrency(4)))

    sink = await score(source, seat(RetryingJudge(once, 2, back_off=wait_none())))

    assert (judge.asked, sink.scores, source.finished) == (1, [], [])


async def test_an_error_about_a_revoked_row_is_not_published() -> None:
    """What comes first counts, so it would hide the verdict of whoever has the row by then."""
    source = rows(a_trace())

    sink = await score(source, seat(LosingJudge(source)))

    assert (sink.scores, source.finished) == ([], [])
