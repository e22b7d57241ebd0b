"""A rebalance that goes wrong must be heard: the client swallows what is raised in it."""

from typing import NoReturn

from aiokafka import AIOKafkaConsumer

from streams.kafka.committer import Committer
from streams.kafka.held import Holdings
from streams.kafka.incidents import Incidents
from streams.kafka.listener import Listener
from tests.fakes import NOON


async def test_what_is_raised_in_a_rebalance_is_handed_to_whoever_stops_the_process() -> None:
    """F16"""
    consumer, holdings, incidents = AIOKafkaConsumer(), Holdings(), Incidents()
    heard: list[BaseException] = []
    broken = RuntimeError("broken")

    def fail() -> NoReturn:
        raise broken

    listener = Listener(
        consumer,
        holdings,
        Committer(consumer, "rag.traces", "nonce", holdings, lambda: NOON, incidents),
        incidents,
        began=fail,
        ended=lambda numbers: None,
        failed=heard.append,
    )

    await listener.on_partitions_revoked([])

    assert heard == [broken]
    assert incidents.counts["rebalance_failed"] == 1
    await consumer.stop()
