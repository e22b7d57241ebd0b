from streams.watch.rules.fabricated_citations import FabricatedCitationsRule, fabricated_citations
from streams.watch.rules.result import RuleResult, Signal
from tests.streams.watch.filled import HOUR, SERIES, Filled

RULE = FabricatedCitationsRule(name="f", kind="fabricated_citations", scorer=SERIES.scorer)


def verdict(*, fabricated: int, minutes: int = HOUR) -> RuleResult:
    counts = {"cited": 10, "supported": 8, "eligible": 16, "fabricated_sentences": fabricated}
    filled = Filled().fill(HOUR - minutes, HOUR, rated=5, bad=0, counts=counts)
    return fabricated_citations(RULE, filled.history(HOUR))


def test_sources_that_are_not_there_are_raised_whatever_the_answers_rate() -> None:
    said = verdict(fabricated=1)

    assert said.signal is Signal.RAISED
    assert said.rate is not None
    assert (said.rate.value, said.rate.n, said.bound) == (0.1, 300, 0.02)
    assert said.said == "precision 80 %, recall 50 %"


def test_none_at_all_is_calm() -> None:
    assert verdict(fabricated=0).signal is Signal.CALM


def test_few_answers_say_nothing() -> None:
    assert verdict(fabricated=1, minutes=5).signal is Signal.UNKNOWN
