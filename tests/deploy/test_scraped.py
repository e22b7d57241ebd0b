"""A real Prometheus scrapes a running `watch`, and a real Alertmanager hears of both."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from tests.command import started, streamgauge
from tests.deploy.serving import PATIENCE_SECONDS, alertmanager_with, prometheus_with
from tests.deploy.test_dashboard import filled, panels
from tests.kafka.proxy import free_port
from tests.kafka.waiting import eventually

DEPLOY = Path(__file__).parents[2] / "deploy"
RUNBOOKS = "https://runbooks.example/streamgauge"
SETTINGS = """
broker: folder:data
sampling: {{probability: 1.0}}
scorers: {{faithfulness: {{}}, citation_accuracy: null}}
alerts: [{{name: bad-answers, kind: threshold, scorer: faithfulness, above: 0.1, for: 1}}]
notify:
  - name: ops
    kind: alertmanager
    allow_private_addresses: true
    links: {{runbook: "{runbooks}#{{rule}}"}}
serve: {{port: {port}}}
"""


def bad_answers(folder: Path) -> None:
    """Lay rows of the last half hour, all of which contradict their evidence."""
    now = datetime.now(UTC)
    rows = [
        {
            "trace_id": f"t-{number}",
            "service": "helpdesk",
            "answered_at": (now - timedelta(seconds=30 * number)).isoformat(),
            "contexts": ["We open at 10 am on weekdays."],
            "answer": "We open at 9 am on weekdays.",
        }
        for number in range(70)
    ]
    topic = folder / "data" / "rag.traces"
    topic.mkdir(parents=True)
    (topic / "0.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def quick(folder: Path, *, watch: int, alertmanager: str) -> Path:
    """Return our file for Prometheus with addresses that are here, and our rules in a hurry."""
    config: Any = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    host = alertmanager.removeprefix("http://")
    config["alerting"]["alertmanagers"] = [{"static_configs": [{"targets": [host]}]}]
    for job in config["scrape_configs"]:
        port = watch if job["job_name"] == "streamgauge-watch" else free_port()
        del job["dns_sd_configs"]
        job["static_configs"] = [{"targets": [f"127.0.0.1:{port}"]}]
    rules = (DEPLOY / "prometheus" / "rules.yml").read_text()
    (folder / "rules.yml").write_text(re.sub(r"^( +for: ).*$", r"\g<1>0s", rules, flags=re.M))
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    return folder / "prometheus.yml"


class Desk:
    """What the two of them say when they are asked."""

    def __init__(self, client: httpx.AsyncClient, prometheus: str, alertmanager: str) -> None:
        self._client, self._prometheus, self._alertmanager = client, prometheus, alertmanager

    async def values(self, expr: str) -> dict[str, float]:
        """Return what an expression comes to, by assistant."""
        found = await self._asked(f"{self._prometheus}/api/v1/query", query=expr)
        assert found["status"] == "success", found
        vector = found["data"]["result"]
        return {one["metric"].get("assistant", ""): float(one["value"][1]) for one in vector}

    async def health(self) -> set[str]:
        """Return how the rules fare; `unknown` are those that were not asked yet."""
        found = await self._asked(f"{self._prometheus}/api/v1/rules")
        return {rule["health"] for group in found["data"]["groups"] for rule in group["rules"]}

    async def alerts(self) -> dict[str, Any]:
        """Return the alerts that Alertmanager holds, by their names."""
        found = await self._asked(f"{self._alertmanager}/api/v2/alerts")
        return {one["labels"]["alertname"]: one for one in found}

    async def _asked(self, url: str, **said: str) -> Any:
        return (await self._client.get(url, params=said)).json()


@asynccontextmanager
async def on_duty(folder: Path) -> AsyncIterator[Desk]:
    """Run a watch half whose score half has gone, Prometheus, and Alertmanager."""
    port = free_port()
    settings = SETTINGS.format(port=port, runbooks=RUNBOOKS)
    (folder / "streamgauge.yaml").write_text(settings)
    bad_answers(folder)
    streamgauge("score", "--once", cwd=folder)
    ours = DEPLOY / "alertmanager" / "alertmanager.yml"
    async with alertmanager_with(ours, folder) as alertmanager:
        config = quick(folder, watch=port, alertmanager=alertmanager)
        there = {"STREAMGAUGE_NOTIFY_OPS_URL": alertmanager}
        with started("watch", cwd=folder, variables=there):
            async with (
                prometheus_with(config, folder) as url,
                httpx.AsyncClient(timeout=30) as client,
            ):
                yield Desk(client, url, alertmanager)


@pytest.mark.service
@pytest.mark.timeout(400)
async def test_prometheus_sees_what_watch_sees_and_both_tell_alertmanager(tmp_path: Path) -> None:
    async with on_duty(tmp_path) as desk:

        async def told() -> bool:
            wanted = {"bad-answers", "StreamgaugeScoreGone", "StreamgaugeDown"}
            return wanted <= set(await desk.alerts())

        async def scraped() -> bool:
            return bool(await desk.values('streamgauge_alerts{status="firing"}'))

        async def asked() -> bool:
            return await desk.health() == {"ok"}

        for settled in (told, scraped, asked):
            await eventually(settled, within=2 * PATIENCE_SECONDS, every=0.5)
        held = await desk.alerts()
        lower = await desk.values('streamgauge_window_rate_lower{window="1h"}')
        failing = await desk.values("streamgauge_notify_failing")
        for panel in panels():
            for target in panel["targets"]:
                await desk.values(filled(target["expr"]))

    assert lower["helpdesk/production"] > 0.9
    assert failing == {"": 0}
    ours, theirs = held["bad-answers"], held["StreamgaugeDown"]
    assert [one["name"] for one in ours["receivers"]] == ["pager"]
    assert ours["annotations"]["runbook_url"] == f"{RUNBOOKS}#bad-answers"
    assert ours["labels"]["service_name"] == "helpdesk"
    assert [one["name"] for one in theirs["receivers"]] == ["tickets"]
    assert theirs["annotations"]["runbook_url"] == f"{RUNBOOKS}#streamgaugedown"
    assert theirs["labels"]["job"] in {"streamgauge-score", "streamgauge-assemble"}
