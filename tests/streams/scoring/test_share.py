from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from schemas.trace import Turn
from scorers.consistency_settings import AssistantSettings, FactualConsistencySettings
from scorers.contract import JudgeUnavailableError
from scorers.factual_consistency import FactualConsistency
from scorers.judges.settings import ChatSettings, JudgeSettings
from scorers.settings import FaithfulnessSettings, ScorersSettings
from streams.ports import Progress
from streams.scoring.gate import Gate
from streams.scoring.judging import Judging
from streams.scoring.share import share_of
from streams.settings.secrets import Secrets
from tests.fakes import ListSource

NOWHERE = "http://judge.invalid/v1"


@dataclass
class Member(ListSource):
    """A reader that holds some of the partitions."""

    assigned: set[int] = field(default_factory=set)

    def progress(self) -> Mapping[int, Progress]:
        return dict.fromkeys(self.assigned, Progress(0, 0, 0))


@pytest.mark.parametrize(
    ("assigned", "partitions", "share"),
    [({0, 1, 2}, 12, 0.25), ({0}, 1, 1.0), (set(), 4, 0.25), (set(), 0, 1.0), ({0, 1}, 1, 1.0)],
)
def test_a_process_has_the_share_of_the_partitions_that_it_holds(
    assigned: set[int], partitions: int, share: float
) -> None:
    assert share_of(Member([], partitions=partitions, assigned=assigned)) == share


async def test_the_limits_of_a_judge_follow_what_is_assigned() -> None:
    source = Member([], partitions=4, assigned={0, 1, 2, 3})
    chat = ChatSettings(url=NOWHERE, model="m", requests_per_minute=60, tokens_per_minute=600)
    judging = Judging(
        JudgeSettings(kind="chat", chat=chat),
        ScorersSettings(faithfulness=FaithfulnessSettings(), citation_accuracy=None),
        (),
        (),
        {},
        Secrets(),
    )

    async with judging.panel(share=lambda: share_of(source)) as panel:
        gate = panel["faithfulness"].gate
        assert isinstance(gate, Gate)
        [limits] = gate.limits
        alone = [limits.requests.wait_seconds(now) for now in (0.0, 0.0)]
        source.assigned = {3}
        shared = [limits.requests.wait_seconds(now) for now in (100.0, 100.0)]
        tokens = [limits.tokens.wait_seconds(now, 10) for now in (0.0, 0.0)]

    assert alone == [0.0, 1.0]
    assert shared == [0.0, 4.0]
    assert tokens == [0.0, 4.0]


async def test_the_calls_of_an_assistant_are_shared_out_too() -> None:
    looked_at = list[float]()

    def share() -> float:
        looked_at.append(0.5)
        return 0.5

    address = AssistantSettings(url="http://127.0.0.1:9/", body={"q": "{query}"}, answer="a")
    scorers = ScorersSettings(
        faithfulness=None,
        citation_accuracy=None,
        factual_consistency=FactualConsistencySettings(),
    )
    judging = Judging(JudgeSettings(), scorers, (), (), {"shop/production": address}, Secrets())

    async with judging.panel(share=share) as panel:
        scorer = panel["factual_consistency"].scorer
        assert isinstance(scorer, FactualConsistency)
        assistant = scorer.assistants["shop/production"]
        with pytest.raises(JudgeUnavailableError):  # a private address: nothing is ever sent
            await assistant.ask([Turn(role="user", text="When?")], temperature=0)

    assert looked_at == [0.5]
