"""All kinds of alert rules, and what they have in common."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Annotated, TypeVar

from pydantic import Field

from streams.watch.history import History
from streams.watch.rules.blind import BlindRule
from streams.watch.rules.burn_rate import BurnRateRule, burn_rate
from streams.watch.rules.cusum import CusumRule, cusum
from streams.watch.rules.fabricated_citations import FabricatedCitationsRule, fabricated_citations
from streams.watch.rules.regression import RegressionRule, regression
from streams.watch.rules.result import RuleResult, Signal
from streams.watch.rules.threshold import ThresholdRule, threshold
from streams.watch.rules.traffic import TrafficRule

SegmentRule = ThresholdRule | RegressionRule
"""The rules that can watch each value of a segment."""

QualityRule = SegmentRule | BurnRateRule | CusumRule | FabricatedCitationsRule
"""The rules that speak of answers, and not of who sees them."""

Rule = Annotated[QualityRule | BlindRule | TrafficRule, Field(discriminator="kind")]


def reach(rule: Rule) -> timedelta:
    """Return how far back a rule looks, but for what it compares with."""
    match rule:
        case TrafficRule():
            return rule.silent_for
        case BurnRateRule():
            return max(pair.long for pair in rule.pairs)
        case _:
            return rule.window


def quality(rule: QualityRule, history: History) -> RuleResult:
    """Ask a rule about an assistant's answers as a whole."""
    match rule:
        case ThresholdRule() | RegressionRule():
            return at_level(rule, history, rule.alpha)
        case BurnRateRule():
            return burn_rate(rule, history)
        case CusumRule():
            return cusum(rule, history)
        case FabricatedCitationsRule():
            return fabricated_citations(rule, history)


def at_level(rule: SegmentRule, history: History, alpha: float) -> RuleResult:
    """Ask a rule that can be asked to be surer than it is set to be."""
    if isinstance(rule, ThresholdRule):
        return threshold(rule, history, alpha=alpha)
    return regression(rule, history, alpha=alpha)


T = TypeVar("T")


def by_segments(
    rule: SegmentRule, segments: Sequence[T], history: Callable[[T], History]
) -> dict[T, RuleResult]:
    """Ask a rule about each of many segments, so that many of them do not make many false alarms.

    Of those raised at most the share `alpha` is raised by chance (Benjamini and Hochberg 1995): the
    greatest k is looked for such that k of m segments are raised at the level alpha k / m. Segments
    that cannot be judged are not among the m.
    """
    results = {one: at_level(rule, history(one), rule.alpha) for one in segments}
    known = [one for one, result in results.items() if result.signal is not Signal.UNKNOWN]
    number = len(known)
    while raised := sum(results[one].signal is Signal.RAISED for one in known):
        if raised >= number:
            break
        number = raised
        level = rule.alpha * number / len(known)
        results |= {one: at_level(rule, history(one), level) for one in known}
    return results
