"""`streamgauge watch` tells receivers, and `mute` has it hold its tongue: on the folder log."""

import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from schemas.alert import Alert, Notice
from schemas.wire import to_milliseconds
from streams.address import Topics, letter
from streams.console.lookup import messages
from streams.folder.aside import append_aside
from streams.folder.writer import Entry
from tests.command import STREAMGAUGE, started
from tests.kafka.waiting import eventually
from tests.streams.notify.alerts import an_alert
from tests.streams.notify.hook_server import Hooks, hook_server

SETTINGS = """
broker: folder:{folder}/topics
alerts: [{{name: bad-answers, kind: threshold, scorer: faithfulness, above: 0.1}}]
notify: [{{name: ops, kind: webhook, allow_private_addresses: true}}]
"""
REFUSED = b"HTTP/1.1 500 Oh\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


def write(folder: Path, alert: Alert) -> None:
    """Write an alert as the fold would, beside the process that holds the topic."""
    sent = letter(alert, Topics())
    at = to_milliseconds(now())
    append_aside(folder / "topics", sent.topic, Entry(sent.key, sent.value, at))


def now() -> datetime:
    return datetime.now(UTC)


def firing(**change: object) -> Alert:
    recent = {"starts_at": now() - timedelta(minutes=9), "evaluated_at": now()}
    return an_alert().model_copy(update={**recent, **change})


def run(folder: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(  # noqa: S603 - our own command
        [STREAMGAUGE, *command], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )


@asynccontextmanager
async def watching(folder: Path, hooks: Hooks) -> AsyncIterator["subprocess.Popen[bytes]"]:
    (folder / "streamgauge.yaml").write_text(SETTINGS.format(folder=folder))
    there = {"STREAMGAUGE_NOTIFY_OPS_URL": hooks.url}
    with started("watch", cwd=folder, variables=there) as process:
        yield process


def noticed(folder: Path) -> int:
    return len(list(messages(folder / "topics", Topics().alerts, Notice)))


@pytest.mark.service
async def test_an_alert_is_told_once_though_a_receiver_fails_and_the_watch_half_is_killed(
    tmp_path: Path,
) -> None:
    write(tmp_path, firing())
    async with hook_server() as hooks:
        hooks.refusals.append(REFUSED)
        async with watching(tmp_path, hooks):
            await eventually(lambda: noticed(tmp_path) == 1, within=60)
        async with watching(tmp_path, hooks) as process:
            write(tmp_path, firing(alert_id="other", dedup_key="k2"))
            await eventually(lambda: noticed(tmp_path) == 2, within=60)
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 0

    assert [body["groupKey"] for body in hooks.bodies] == ["k1", "k2"]
    log = (tmp_path / "log").read_text()
    assert hooks.bodies[0]["alerts"][0]["labels"]["service_name"] == "shop"
    assert "notification_failed" in log
    assert hooks.url not in log


@pytest.mark.service
async def test_an_alert_that_a_receiver_refuses_does_not_keep_it_from_the_next(
    tmp_path: Path,
) -> None:
    write(tmp_path, firing())
    write(tmp_path, firing(alert_id="other", dedup_key="k2"))
    async with hook_server() as hooks:
        hooks.refusals.append(b"HTTP/1.1 400 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        async with watching(tmp_path, hooks):
            await eventually(lambda: noticed(tmp_path) == 1, within=60)

    assert [body["groupKey"] for body in hooks.bodies] == ["k2"]


@pytest.mark.service
async def test_a_muted_alert_is_told_to_nobody(tmp_path: Path) -> None:
    async with hook_server() as hooks, watching(tmp_path, hooks):
        write(tmp_path, firing(alert_id="abc123", dedup_key="k9"))
        await eventually(lambda: noticed(tmp_path) == 1, within=60)
        muted = run(tmp_path, "mute", "service_name=shop", "--for", "1h", "--by", "kim")
        write(tmp_path, firing(alert_id="other", dedup_key="k8"))
        write(tmp_path, firing(dedup_key="k7", labels={"alertname": "x", "service_name": "b"}))
        await eventually(lambda: noticed(tmp_path) == 2, within=60)

    assert muted.returncode == 0, muted.stderr
    assert "by kim" in muted.stdout
    assert [body["groupKey"] for body in hooks.bodies] == ["k9", "k7"]


@pytest.mark.service
def test_a_receiver_without_an_address_is_refused_with_the_variable_to_set(tmp_path: Path) -> None:
    (tmp_path / "streamgauge.yaml").write_text(SETTINGS.format(folder=tmp_path))

    done = run(tmp_path, "watch")

    assert done.returncode == 2
    assert "notify.0.name: set STREAMGAUGE_NOTIFY_OPS_URL" in done.stderr


@pytest.mark.service
def test_a_mute_of_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "streamgauge.yaml").write_text(SETTINGS.format(folder=tmp_path))

    nothing, forever = run(tmp_path, "mute", "abc"), run(tmp_path, "mute", "a=b", "--for", "x")

    assert (nothing.returncode, forever.returncode) == (2, 2)
    assert "no alert has an id that begins so" in nothing.stderr
    assert "--for x: write 90s" in forever.stderr
