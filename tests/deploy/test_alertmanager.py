"""Alertmanager's file: who is told of what, and what is not told beside its cause."""

import re
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from schemas.alert import Alert
from streams.links import Links
from streams.notify.bodies import alertmanager
from streams.watch.alerts.subject import Subject, labels_of
from streams.watch.rules.blind import BlindRule
from streams.watch.rules.kinds import Rule
from streams.watch.rules.threshold import ThresholdRule
from streams.watch.rules.traffic import TrafficRule
from tests.deploy.serving import alertmanager_with
from tests.deploy.test_rules import rules
from tests.kafka.waiting import eventually
from tests.streams.notify.alerts import an_alert
from tests.tools import tool

FILE = Path(__file__).parents[2] / "deploy" / "alertmanager" / "alertmanager.yml"
RECEIVERS = {"page": "pager", "ticket": "tickets", "info": "notes"}
SHOP, HELP = "shop/production", "help/production"
BAD = ThresholdRule(
    name="bad-answers", kind="threshold", scorer="faithfulness", above=0.1, severity="page"
)
BLIND, TRAFFIC = (
    BlindRule(name="judge-blind", kind="blind"),
    TrafficRule(name="traffic-vanished", kind="traffic"),
)


def amtool(*arguments: str) -> str:
    program = tool("amtool", "prometheus-alertmanager")
    done = subprocess.run(  # noqa: S603 - Debian's program
        [program, *arguments], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def receiver_of(labels: Mapping[str, str]) -> str:
    pairs = [f"{name}={value}" for name, value in labels.items()]
    return amtool("config", "routes", "test", f"--config.file={FILE}", *pairs).strip()


def labels(rule: Rule, assistant: str, scorer: str = "", **cause: Any) -> dict[str, str]:
    return labels_of(rule, Subject(rule.name, assistant, scorer, **cause))


def alert(**said: str) -> Alert:
    """Return an alert with these labels, firing now."""
    now = datetime.now(UTC)
    changed = {"labels": said, "starts_at": now, "evaluated_at": now}
    return an_alert(key="".join(said.values())).model_copy(update=changed)


def test_alertmanager_takes_the_file() -> None:
    amtool("check-config", str(FILE))


OURS = {
    "page": labels(BAD, SHOP, "faithfulness"),
    "ticket": labels(BLIND, SHOP, "faithfulness", cause="judge"),
    "info": labels(BAD.model_copy(update={"severity": "info"}), SHOP, "faithfulness"),
}


@pytest.mark.parametrize("severity", RECEIVERS)
def test_our_alerts_go_where_their_severity_says(severity: str) -> None:
    assert receiver_of(OURS[severity]) == RECEIVERS[severity]


@pytest.mark.parametrize("severity", RECEIVERS)
def test_prometheus_alerts_go_where_their_severity_says(severity: str) -> None:
    one = next(rule for rule in rules() if rule.get("labels", {}).get("severity") == severity)

    assert receiver_of({"alertname": one["alert"], **one["labels"]}) == RECEIVERS[severity]


def test_an_alert_without_a_severity_is_not_lost() -> None:
    assert receiver_of({"alertname": "stranger"}) == "tickets"


def test_no_secret_stands_in_the_file() -> None:
    text = FILE.read_text()

    secrets = re.findall(r"^\s*(?:- )?(\w*(?:key|url|token|password|secret)\w*):", text, re.M)
    assert secrets
    assert all(name.endswith("_file") for name in secrets)


def test_what_inhibits_and_is_inhibited_is_there() -> None:
    known = {rule["alert"] for rule in rules() if "alert" in rule}
    named = re.findall(r"alertname = (\w+)", FILE.read_text())

    assert named
    assert set(named) <= known


def test_groups_are_of_one_rule_and_one_assistant() -> None:
    route = yaml.safe_load(FILE.read_text())["route"]

    assert {"alertname", "service_name", "environment", "assistant"} <= set(route["group_by"])


@pytest.mark.service
async def test_a_blind_scorer_keeps_its_own_rates_quiet_and_no_other(tmp_path: Path) -> None:
    sent = [
        alert(**labels(BLIND, SHOP, "faithfulness", cause="judge")),
        alert(**labels(BAD, SHOP, "faithfulness")),
        alert(**labels(BAD, SHOP, "citation_accuracy")),
        alert(**labels(BAD, HELP, "faithfulness")),
        alert(**labels(TRAFFIC, SHOP)),
    ]
    async with alertmanager_with(FILE, tmp_path) as url, httpx.AsyncClient(timeout=30) as client:
        now = datetime.now(UTC)
        for one in sent:
            body = alertmanager(one, Links(), now=now, repeats=timedelta(minutes=1))
            (await client.post(f"{url}/api/v2/alerts", json=body)).raise_for_status()

        async def inhibited() -> list[dict[str, str]]:
            held = (await client.get(f"{url}/api/v2/alerts")).json()
            assert len(held) == len(sent)
            return [one["labels"] for one in held if one["status"]["inhibitedBy"]]

        async def is_quiet() -> bool:
            return await inhibited() == [labels(BAD, SHOP, "faithfulness")]

        await eventually(is_quiet)
