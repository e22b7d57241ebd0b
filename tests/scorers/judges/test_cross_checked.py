"""A second look takes turns with everything else that the loop has to do."""

import asyncio
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeVar, cast

from scorers.asking.verdicts import verify
from scorers.contract import Answer, JudgeIdentity, Judgement
from scorers.judges.cross_checked import CrossCheckedJudge
from scorers.questions import Evidence, Question, VerifyClaims

A = TypeVar("A")

ABOUT = VerifyClaims(claims=("Paris has two towers.",), evidence=(Evidence("1", "Paris."),))


@dataclass
class Persuaded:
    """Says yes at once, and notes that it was asked."""

    name: str
    order: list[str] = field(default_factory=list)
    identity: JudgeIdentity = field(default_factory=lambda: JudgeIdentity("persuaded", "1"))

    async def ask(self, question: Question[A]) -> Answer[A]:
        self.order.append(self.name)
        return Answer(cast("A", (Judgement("yes"),)))


async def test_what_waits_to_run_runs_between_the_second_looks_at_a_crowd_of_replies() -> None:
    order: list[str] = []
    judge = CrossCheckedJudge(Persuaded("model"), Persuaded("look", order))

    async def others() -> None:
        while order.count("look") < 4:
            order.append("other")
            await asyncio.sleep(0)

    await asyncio.gather(others(), *(judge.ask(verify(ABOUT, row="r")) for _ in range(4)))

    looks = [n for n, what in enumerate(order) if what == "look"]
    assert len(looks) == 4
    assert all("other" in order[one:next_] for one, next_ in pairwise(looks))
