"""The built-in scorers, a criterion and another distribution's scorer keep the same promises."""

import sys
from collections.abc import Iterator, Sequence

import pytest

from schemas.trace import Turn
from scorers.citation_accuracy import CitationAccuracy
from scorers.contract import FreshAnswer, Scorer
from scorers.criteria import Criterion
from scorers.factual_accuracy import FactualAccuracy
from scorers.factual_consistency import FactualConsistency
from scorers.faithfulness import Faithfulness
from scorers.faithfulness_binary import FaithfulnessBinary
from scorers.plugged import plugged
from tests.scorers.contract_suite import ScorerContract
from tests.scorers.plugin import install


@pytest.fixture(autouse=True, scope="module")
def _installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = str(install(tmp_path_factory.mktemp("site")))
    sys.path.insert(0, folder)
    yield
    sys.path.remove(folder)
    sys.modules.pop("polite", None)


class SteadyAssistant:
    """Says the same whenever it is asked."""

    async def ask(self, messages: Sequence[Turn], *, temperature: float) -> FreshAnswer:
        return FreshAnswer("It opened in 1874.")


class TestFaithfulness(ScorerContract):
    def make(self) -> Scorer:
        return Faithfulness()


class TestFaithfulnessBinary(ScorerContract):
    def make(self) -> Scorer:
        return FaithfulnessBinary()


class TestCitationAccuracy(ScorerContract):
    def make(self) -> Scorer:
        return CitationAccuracy()


class TestFactualConsistency(ScorerContract):
    def make(self) -> Scorer:
        return FactualConsistency({"helpdesk/production": SteadyAssistant()})


class TestFactualAccuracy(ScorerContract):
    def make(self) -> Scorer:
        return FactualAccuracy()


class TestCriterion(ScorerContract):
    def make(self) -> Scorer:
        return Criterion("tone", "Is the answer polite?", {"yes": "good", "no": "bad"})


class TestScorerOfAnotherDistribution(ScorerContract):
    def make(self) -> Scorer:
        return plugged("polite", {})
