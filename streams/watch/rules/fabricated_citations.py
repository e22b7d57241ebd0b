"""The rule `fabricated_citations`: answers cite sources that they were never given."""

from datetime import timedelta
from typing import Literal

from pydantic import BaseModel

from schemas.alert import Severity
from schemas.quantities import Duration
from streams.watch.estimates.citations import citations_of
from streams.watch.history import History
from streams.watch.panes.pane import milliseconds
from streams.watch.rules.fields import RULE, Count, Evaluations, Name, Share
from streams.watch.rules.result import RuleResult, Signal, believed, deviations

ALPHA = 0.05


class FabricatedCitationsRule(BaseModel):
    """Fires while surely more than `above` of the cited sentences name a source that is not there.

    It needs `min_n` answers in the window. No judge is asked whether a source exists, so the rule
    is as good with one judge as with another.
    """

    model_config = RULE

    name: Name
    kind: Literal["fabricated_citations"]
    scorer: str = "citation_accuracy"
    above: Share = 0.02
    window: Duration = timedelta(hours=1)
    min_n: Count = 30
    for_: Evaluations = 2
    severity: Severity = "ticket"


def fabricated_citations(rule: FabricatedCitationsRule, history: History) -> RuleResult:
    """Hold the share of fabricated citations against the bound."""
    seen = history.last(milliseconds(rule.window))
    z = deviations(ALPHA)
    answers = seen.rate(z=z)
    if answers is None or not believed(seen, answers, min_n=rule.min_n):
        return RuleResult(Signal.UNKNOWN, seen, None, rule.above)
    citations = citations_of(seen.counts)
    rate = citations.fabricated_share(answers=answers.n, n_eff=answers.n_eff, z=z)
    if rate is None:
        return RuleResult(Signal.UNKNOWN, seen, None, rule.above)
    signal = Signal.CALM if rate.upper < rule.above else Signal.UNSURE
    if rate.lower > rule.above:
        signal = Signal.RAISED
    said = f"precision {_whole(citations.precision)}, recall {_whole(citations.recall)}"
    return RuleResult(signal, seen, rate, rule.above, said=said)


def _whole(share: float | None) -> str:
    return "unknown" if share is None else f"{100 * share:.0f} %"
