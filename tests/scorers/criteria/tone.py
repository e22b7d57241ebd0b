"""A criterion on the tone of an answer, and judges that say what a test wants."""

from collections.abc import Mapping

from schemas.score import Scored
from scorers.contract import Judge
from scorers.criteria import Criterion, Worth
from tests.fakes import ScriptedJudge, a_trace

GOOD_OR_BAD: Mapping[str, Worth] = {"yes": "good", "so so": "good", "No": "bad"}
TONE = Criterion("tone", "Is the answer polite?", GOOD_OR_BAD)


async def scored(judge: Judge, criterion: Criterion = TONE) -> Scored:
    outcome = await criterion.score(a_trace(), judge)
    assert isinstance(outcome, Scored)
    return outcome


def says(answer: object, reason: str = "so") -> ScriptedJudge:
    return ScriptedJudge([{"reason": reason, "answer": answer}])
