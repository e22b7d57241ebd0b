"""The alert rules as the settings hold them: the ones by default, and those that cannot work."""

from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta

from streams.settings.impossible import twice, window_problems
from streams.settings.problems import Problem, closest
from streams.watch.rules.blind import BlindRule
from streams.watch.rules.burn_rate import REACHABLE, BurnRateRule, unreachable
from streams.watch.rules.kinds import Rule, SegmentRule
from streams.watch.rules.threshold import ThresholdRule
from streams.watch.rules.traffic import TrafficRule

AlertRules = tuple[Rule, ...]

DEFAULT_RULES: AlertRules = (
    ThresholdRule(name="bad-answers", kind="threshold", scorer="faithfulness", above=0.10),
    BlindRule(name="judge-blind", kind="blind"),
    TrafficRule(name="traffic-vanished", kind="traffic"),
)
""""Quality fell", "the scorer is blind" and "traffic vanished" are three different alerts.

Each is quiet without being told what is usual here. What is usual, what the objective is and what a
segment is worth nobody but the operator knows: the other kinds are written by hand.
"""


def alert_problems(
    rules: Sequence[Rule], scorers: Collection[str], segments: Collection[str]
) -> Iterator[Problem]:
    """Yield rules that could never fire, and the key of each that is at fault."""
    yield from twice("alerts", (rule.name for rule in rules))
    for place, rule in enumerate(rules):
        path = f"alerts.{place}"
        if not isinstance(rule, BlindRule | TrafficRule) and rule.scorer not in scorers:
            yield Problem(
                f"{path}.scorer",
                f"{rule.name} watches a scorer that is off: turn it on, or drop the rule"
                + closest(rule.scorer, scorers),
            )
        if isinstance(rule, SegmentRule) and rule.by and rule.by not in segments:
            yield Problem(
                f"{path}.by", f"panes are not kept by {rule.by}: add it to watch.segments"
            )
        for key, window in _windows(rule):
            yield from window_problems(f"{path}.{key}", window)
        if isinstance(rule, BurnRateRule):
            yield from _burns(path, rule)


def _windows(rule: Rule) -> Iterator[tuple[str, timedelta]]:
    if isinstance(rule, TrafficRule):
        yield "silent_for", rule.silent_for
    elif isinstance(rule, BurnRateRule):
        for place, pair in enumerate(rule.pairs):
            yield f"pairs.{place}.long", pair.long
            yield f"pairs.{place}.short", pair.short
    else:
        yield "window", rule.window


def _burns(path: str, rule: BurnRateRule) -> Iterator[Problem]:
    for place in unreachable(rule):
        bad = rule.pairs[place].burn * rule.budget
        yield Problem(
            f"{path}.pairs.{place}.burn",
            f"at an slo of {rule.slo:g} it fires above {bad:.0%} bad answers: "
            f"let burn x (1 - slo) be below {REACHABLE:g}",
        )
