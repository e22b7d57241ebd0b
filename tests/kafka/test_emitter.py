"""Sending goes on after whatever a broker does to a producer, and says when it cannot.

F07 broker away · F10 leader gone · F45 too large · F46 sequence out of order
"""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from schemas.score import Scored, ScoreEvent
from streams.address import Topics
from streams.kafka.emitter import Emitter, Outgoing, TooLargeError
from streams.kafka.incidents import Incidents
from streams.kafka.sink import KafkaSink
from streams.kafka.topics import found
from tests.kafka.broker import running
from tests.kafka.cluster_admin import (
    a_connection,
    admin_of,
    alter,
    make_all,
    make_topics,
    names_of,
    read_all,
)
from tests.kafka.waiting import eventually
from tests.streams.ports.messages import a_score

pytestmark = pytest.mark.service


@asynccontextmanager
async def emitting(kafka: str, *names: str, give_up: float = 60) -> AsyncIterator[Emitter]:
    incidents = Incidents()
    emitter = Emitter(
        a_connection(kafka),
        names,
        incidents,
        answer=timedelta(seconds=15),
        give_up=timedelta(seconds=give_up),
    )
    async with emitter:
        yield emitter


def outgoing(topic: str, value: bytes, *, partition: int = 0) -> Outgoing:
    return Outgoing(topic, partition, b"key", value, ())


async def values_of(kafka: str, topic: str) -> list[bytes | None]:
    return [record.value for record in await read_all(kafka, topic)]


async def test_a_refused_record_costs_its_producer_and_not_those_that_come_after_it(
    kafka: str, topics: Topics
) -> None:
    """F45 and F46: the limit was lowered under us; without a new producer all later ones fail."""
    await make_topics(kafka, [topics.scores], max_message_bytes="50000")

    async with emitting(kafka, topics.scores) as emitter:
        async with admin_of(kafka) as admin:
            await lower_limit(admin, topics.scores, 2000)
        await emitter.send([outgoing(topics.scores, b"before")])
        with pytest.raises(TooLargeError):
            await emitter.send([outgoing(topics.scores, b"x" * 10_000)])
        for n in range(20):
            await emitter.send([outgoing(topics.scores, b"after %d" % n)])

        assert emitter.incidents.counts["producer_replaced"] == 1
    assert await values_of(kafka, topics.scores) == [
        b"before",
        *(b"after %d" % n for n in range(20)),
    ]


async def lower_limit(admin: AIOKafkaAdminClient, topic: str, limit: int) -> None:
    await alter(admin, topic, max_message_bytes=str(limit))

    async def lowered() -> bool:
        there = await found(admin, [topic])
        return there[topic].config["max.message.bytes"] == str(limit)

    await eventually(lowered)


async def test_what_was_sent_beside_a_refused_record_arrives(kafka: str, topics: Topics) -> None:
    """F45: eight rows share a batch with one that is refused; each must be there in the end."""
    await make_topics(kafka, [topics.scores], max_message_bytes="50000")

    async with emitting(kafka, topics.scores) as emitter:
        async with admin_of(kafka) as admin:
            await lower_limit(admin, topics.scores, 2000)
        sends = [emitter.send([outgoing(topics.scores, b"row %d" % n)]) for n in range(8)]
        large = emitter.send([outgoing(topics.scores, b"x" * 10_000)])
        results = await asyncio.gather(*sends, large, return_exceptions=True)

        assert [type(result).__name__ for result in results] == ["NoneType"] * 8 + ["TooLargeError"]
    assert set(await values_of(kafka, topics.scores)) == {b"row %d" % n for n in range(8)}


async def test_a_score_that_is_too_large_goes_without_its_evidence(
    kafka: str, topics: Topics
) -> None:
    """F45: the numbers arrive, whatever the topic takes."""
    await make_topics(kafka, [topics.scores], max_message_bytes="4000")
    await make_topics(kafka, [name for name in names_of(topics) if name != topics.scores])
    verdict = Scored(
        score=0.5, normalized=0.5, label="supported", breakdown={"claims": ["long " * 2000]}
    )

    async with KafkaSink(a_connection(kafka), topics, "g", "0") as sink:
        await sink.publish([a_score().model_copy(update={"outcome": verdict})])

    (record,) = await read_all(kafka, topics.scores)
    event = ScoreEvent.model_validate_json(record.value or b"")
    assert isinstance(event.outcome, Scored)
    assert (event.outcome.score, event.outcome.breakdown) == (0.5, {})


async def test_a_broker_that_goes_and_comes_back_costs_nothing(
    tmp_path: Path, topics: Topics
) -> None:
    """F07 with I1: what was being sent when it went is written when it is back."""
    async with running(tmp_path) as cluster:
        await make_topics(cluster.address, [topics.scores])
        async with emitting(cluster.address, topics.scores) as emitter:
            await emitter.send([outgoing(topics.scores, b"before")])
            cluster.signal(1, signal.SIGKILL)
            sending = [
                asyncio.create_task(emitter.send([outgoing(topics.scores, b"during %d" % n)]))
                for n in range(20)
            ]
            await asyncio.wait(sending, timeout=5)
            assert not any(task.done() for task in sending)
            cluster.start(1)
            await asyncio.gather(*sending)

        values = await values_of(cluster.address, topics.scores)
        assert set(values) == {b"before", *(b"during %d" % n for n in range(20))}


async def test_a_broker_that_goes_before_the_first_record_is_asked_nothing(
    tmp_path: Path, topics: Topics
) -> None:
    """F07 with I1: where a record belongs is known from the start, so it waits, and is written."""
    async with running(tmp_path) as cluster:
        await make_topics(cluster.address, [topics.scores], partitions=3)
        async with emitting(cluster.address, topics.scores) as emitter:
            cluster.signal(1, signal.SIGKILL)

            assert await asyncio.wait_for(emitter.partitions(topics.scores), 1) == 3


async def test_topics_that_cannot_be_written_are_given_up_in_the_end(
    tmp_path: Path, topics: Topics
) -> None:
    """F07 with I9: the process stops then, with nothing committed; closing does not hang either."""
    async with running(tmp_path) as cluster:
        await make_all(cluster.address, topics)
        async with emitting(cluster.address, topics.scores, give_up=3) as emitter:
            cluster.signal(1, signal.SIGKILL)
            with pytest.raises((KafkaError, TimeoutError)):
                await asyncio.wait_for(emitter.send([outgoing(topics.scores, b"lost?")]), 90)


async def test_a_partition_without_a_leader_delays_its_records_and_loses_none(
    tmp_path: Path, topics: Topics
) -> None:
    """F10: a node of three is killed; what belongs there outlives the time to be acknowledged."""
    async with running(tmp_path, nodes=3) as cluster:
        await make_topics(cluster.address, [topics.scores], partitions=6)
        async with emitting(cluster.address, topics.scores) as emitter:
            cluster.signal(2, signal.SIGKILL)
            sending = [
                asyncio.create_task(
                    emitter.send([outgoing(topics.scores, b"row %d" % n, partition=n)])
                )
                for n in range(6)
            ]
            await eventually(lambda: emitter.incidents.counts["producer_replaced"] >= 1)
            cluster.start(2)
            await asyncio.wait_for(asyncio.gather(*sending), 60)

        values = await values_of(cluster.address, topics.scores)
        assert set(values) == {b"row %d" % n for n in range(6)}
