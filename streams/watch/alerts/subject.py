"""What an alarm watches, and under which labels it is known outside."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from streams.watch.panes.pane import Family
from streams.watch.rules.blind import BlindRule, Cause
from streams.watch.rules.fields import label_name
from streams.watch.rules.kinds import Rule, SegmentRule
from streams.watch.rules.traffic import TrafficRule

_ALWAYS = frozenset({"alertname", "service_name", "environment", "metric", "severity"})


class Subject(NamedTuple):
    """What an alarm watches. The scorer is empty for traffic, the cause for all but blindness.

    The segment (`name=value`) is empty for an assistant's answers as a whole.
    """

    rule: str
    assistant: str
    scorer: str = ""
    cause: Cause | Literal[""] = ""
    segment: str = ""

    @property
    def family(self) -> Family:
        """The scorer, or its segment, whatever the series."""
        return Family(self.assistant, self.scorer, segment=self.segment)


def labels_of(rule: Rule, subject: Subject) -> dict[str, str]:
    """Return the labels that make an alert this alert, in names that Alertmanager accepts."""
    service, _, environment = subject.assistant.rpartition("/")
    labels = {
        "alertname": rule.name,
        "service_name": service,
        "environment": environment,
        "metric": subject.scorer or rule.kind,
        "severity": rule.severity,
    }
    if subject.cause:
        labels["cause"] = subject.cause
    if subject.segment:
        name, _, value = subject.segment.partition("=")
        labels[label_name(name)] = value
    return labels


def claims(rule: Rule, labels: Mapping[str, str]) -> bool:
    """Say whether a rule as it is set today could have told of an alert with these labels."""
    extra = labels.keys() - _ALWAYS
    named = (labels.get("alertname"), labels.get("severity")) == (rule.name, rule.severity)
    if isinstance(rule, BlindRule):
        return named and extra == {"cause"}
    if isinstance(rule, TrafficRule):
        return named and not extra and labels.get("metric") == rule.kind
    by = {label_name(rule.by)} if isinstance(rule, SegmentRule) and rule.by else set[str]()
    return named and extra == by and labels.get("metric") == rule.scorer
