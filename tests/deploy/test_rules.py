"""The rules for Prometheus: they name what is there, each is tested, and has a runbook."""

import re
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import TypeAdapter

from streams.settings.alert_rules import DEFAULT_RULES
from streams.watch.rules.kinds import Rule
from tests.deploy.promql import Known, UnknownError, labels_of, scraped
from tests.docs.pages import anchors
from tests.streams.vitals.test_station import everything
from tests.tools import tool

DEPLOY = Path(__file__).parents[2] / "deploy" / "prometheus"
RUNBOOKS = Path(__file__).parents[2] / "docs" / "runbooks.md"
SEVERITIES = {"page", "ticket", "info"}
"""Those of our own alerts, and so those that Alertmanager routes by."""

KINDS = set(TypeAdapter(Rule).json_schema()["discriminator"]["mapping"])
"""Those of rules on answers and on seeing."""


@cache
def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load((DEPLOY / "rules.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def alerts() -> list[Any]:
    return [pytest.param(rule, id=rule["alert"]) for rule in rules() if "alert" in rule]


def recorded(known: Known) -> Known:
    """Return what is known once the recording rules have run."""
    found = dict(known)
    for rule in rules():
        if "record" in rule:
            found[rule["record"]] = labels_of(rule["expr"], found)
    return found


def promtool(*arguments: str) -> None:
    program = tool("promtool", "prometheus")
    done = subprocess.run(  # noqa: S603 - Debian's program
        [program, *arguments], cwd=DEPLOY, capture_output=True, text=True, check=False, timeout=110
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "arguments",
    [("check", "rules", "rules.yml"), ("check", "config", "prometheus.yml")],
    ids=["rules", "config"],
)
def test_prometheus_takes_the_files(arguments: tuple[str, ...]) -> None:
    promtool(*arguments)


def test_each_alert_fires_when_it_should_and_not_before() -> None:
    promtool("test", "rules", "rules_test.yml")


async def test_each_rule_asks_for_series_and_labels_that_are_scraped(tmp_path: Path) -> None:
    known = recorded(scraped(await everything(tmp_path)))

    for rule in rules():
        labels = labels_of(rule["expr"], known) | set(rule.get("labels", {}))
        said = " ".join(rule.get("annotations", {}).values())
        assert set(re.findall(r"\$labels\.(\w+)", said)) <= labels, rule


@pytest.mark.parametrize(
    "wrong",
    [
        "streamgauge_no_such_metric",
        'streamgauge_lag{assistant="x"}',
        "sum by (scorer) (streamgauge_lag)",
        "streamgauge_lag / on (scorer) streamgauge_judge_refusing",
        "streamgauge_lag / streamgauge_judge_refusing",
        "histogram_quantile(0.9, streamgauge_rows_seen_total)",
    ],
)
async def test_a_rule_that_names_what_is_not_there_would_be_found(
    wrong: str, tmp_path: Path
) -> None:
    known = scraped(await everything(tmp_path))

    with pytest.raises(UnknownError):
        labels_of(wrong, known)


@pytest.mark.parametrize("rule", alerts())
def test_an_alert_says_its_number_and_has_a_severity_and_a_runbook(rule: dict[str, Any]) -> None:
    said = rule["annotations"]

    assert rule["labels"]["severity"] in SEVERITIES
    assert rule["for"]
    assert re.search(r"\{\{ \$value|\d", said["summary"])
    assert said["description"].endswith(".")
    url, _, anchor = said["runbook_url"].partition("#")
    assert url == "https://runbooks.example/streamgauge"
    assert anchor == rule["alert"].lower()
    assert anchor in anchors(RUNBOOKS)


def test_each_alert_is_tested_where_it_fires_and_where_it_does_not() -> None:
    tests = yaml.safe_load((DEPLOY / "rules_test.yml").read_text())["tests"]
    asked = [one for test in tests for one in test.get("alert_rule_test", [])]
    fires = Counter(one["alertname"] for one in asked if one["exp_alerts"])
    quiet = Counter(one["alertname"] for one in asked if not one["exp_alerts"])

    assert set(fires) == set(quiet) == {rule["alert"] for rule in rules() if "alert" in rule}


def test_every_alert_of_ours_has_a_runbook() -> None:
    named = {rule.name for rule in DEFAULT_RULES}

    assert anchors(RUNBOOKS) >= KINDS | named | {"dead-letters"}
