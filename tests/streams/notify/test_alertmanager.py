"""A real Alertmanager takes our alert, groups and resolves it, and calls a webhook."""

import asyncio
import json
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from scorers.judges.http import HttpClient
from streams.links import Links
from streams.notify.bodies import webhook
from streams.notify.desk import Due
from streams.notify.receivers import Receiver
from tests.deploy.serving import alertmanager_with
from tests.kafka.waiting import eventually
from tests.streams.notify.alerts import an_alert
from tests.streams.notify.hook_server import hook_server

CONFIG = """
route: {{receiver: hook, group_by: [service_name], group_wait: 0s, group_interval: 1s}}
receivers: [{{name: hook, webhook_configs: [{{url: "{hook}", send_resolved: true}}]}}]
"""


@asynccontextmanager
async def alertmanager_at(folder: Path, hook: str) -> AsyncIterator[str]:
    config = folder / "config.yml"
    config.write_text(CONFIG.format(hook=hook))
    async with alertmanager_with(config, folder) as url:
        yield url


def asked(url: str) -> Any:
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:  # noqa: S310 - on 127.0.0.1
            return json.load(reply)
    except OSError:
        return None


@pytest.mark.service
async def test_a_real_alertmanager_groups_and_resolves_our_alerts_and_calls_a_webhook(
    tmp_path: Path,
) -> None:
    now = datetime.now(UTC)
    started = {"starts_at": now - timedelta(minutes=5)}
    one = an_alert(key="k1").model_copy(update=started)
    other = an_alert(key="k2").model_copy(
        update={**started, "labels": {**one.labels, "metric": "citation_accuracy"}}
    )
    ended = one.model_copy(update={"status": "resolved", "ends_at": now})
    client = HttpClient(timeout_seconds=5, allow_private=True)
    async with hook_server() as hooks, alertmanager_at(tmp_path, hooks.url) as url:
        links = Links(runbook="https://runbooks.example/{rule}")
        receiver = Receiver(
            "ops", "alertmanager", SecretStr(url), client, timedelta(hours=4), links
        )

        assert await receiver.tell(Due(one), now=now)
        assert await receiver.tell(Due(other), now=now)
        held = await asyncio.to_thread(asked, f"{url}/api/v2/alerts")
        await eventually(lambda: any(len(body["alerts"]) == 2 for body in hooks.bodies))
        assert await receiver.tell(Due(ended), now=now + timedelta(seconds=1))
        await eventually(
            lambda: any(
                alert["status"] == "resolved" for body in hooks.bodies for alert in body["alerts"]
            )
        )
        await client.close()

    assert {alert["labels"]["metric"] for alert in held} == {"faithfulness", "citation_accuracy"}
    assert held[0]["annotations"]["runbook_url"] == "https://runbooks.example/bad-answers"
    theirs, ours = hooks.bodies[0], webhook(one, Links(), receiver="hook")
    assert isinstance(ours, dict)
    assert set(ours) <= set(theirs)
    alerts: Any = ours["alerts"]
    assert set(alerts[0]) == set(theirs["alerts"][0])
    assert ours["version"] == theirs["version"]
