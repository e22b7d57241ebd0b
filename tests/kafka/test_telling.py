"""On Kafka `watch` tells receivers of the alerts of its partitions, and hears of mutes."""

from pathlib import Path

import pytest

from schemas.alert import Alert
from streams.address import Topics, letter
from streams.partitioning import partition_of
from tests.command import started
from tests.kafka.cluster_admin import producer_of, read_all
from tests.kafka.command import run
from tests.kafka.waiting import eventually
from tests.streams.notify.hook_server import hook_server
from tests.streams.notify.test_telling import firing

MORE = "notify: [{name: ops, kind: webhook, allow_private_addresses: true}]\n"


async def write(kafka: str, topics: Topics, alert: Alert) -> None:
    sent = letter(alert, topics)
    async with producer_of(kafka) as producer:
        partition = partition_of(sent.route, 8)
        await producer.send_and_wait(sent.topic, sent.value, key=sent.key, partition=partition)


@pytest.mark.service
async def test_an_alert_on_kafka_is_told_and_a_muted_one_is_not(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    async with hook_server() as hooks:
        run(kafka, tmp_path, topics, "topics", "create", more=MORE)
        there = {"STREAMGAUGE_NOTIFY_OPS_URL": hooks.url}
        with started("watch", cwd=tmp_path, variables=there):
            await write(kafka, topics, firing())
            await eventually(lambda: len(hooks.bodies) == 1, within=60)
            muted = run(kafka, tmp_path, topics, "mute", "service_name=shop", more=MORE)
            await write(kafka, topics, firing(alert_id="e2", dedup_key="k2"))
            other = {"alertname": "x", "service_name": "b", "environment": "c"}
            await write(kafka, topics, firing(dedup_key="k3", labels=other))
            await eventually(lambda: len(hooks.bodies) == 2, within=60)

    assert muted.returncode == 0, muted.stderr
    assert [body["groupKey"] for body in hooks.bodies] == ["k1", "k3"]
    mutes = [r for r in await read_all(kafka, topics.alerts) if (r.key or b"").startswith(b"mute|")]
    assert {record.partition for record in mutes} == set(range(8))
