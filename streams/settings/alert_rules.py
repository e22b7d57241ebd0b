"""The alert rules as the settings hold them: those of the watch half, and the ones by default."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator

from streams.settings.not_yet import RULES_NOT_YET
from streams.watch.rules.kinds import BlindRule, Rule, ThresholdRule, TrafficRule


def _served(rule: object) -> object:
    kind = rule.get("kind") if isinstance(rule, Mapping) else None
    if isinstance(kind, str) and kind in RULES_NOT_YET:
        raise ValueError(f"rules of the kind {kind} are not evaluated yet: drop this one")
    return rule


AlertRules = tuple[Annotated[Rule, BeforeValidator(_served)], ...]

DEFAULT_RULES: tuple[Rule, ...] = (
    ThresholdRule(name="bad-answers", kind="threshold", scorer="faithfulness", above=0.10),
    BlindRule(name="judge-blind", kind="blind"),
    TrafficRule(name="traffic-vanished", kind="traffic"),
)
""""Quality fell", "the scorer is blind" and "traffic vanished" are three different alerts."""
