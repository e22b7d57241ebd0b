"""Following a topic outside of any group, on a real broker."""

import pytest

from streams.address import Topics
from streams.kafka.connection import connection
from streams.kafka.follower import KafkaFollower
from tests.kafka.cluster_admin import put
from tests.kafka.flow import prepare

pytestmark = pytest.mark.service


@pytest.mark.parametrize(("new_only", "first"), [(False, b"old"), (True, b"new")])
async def test_what_was_there_before_is_left_out_where_that_is_asked_for(
    kafka: str, topics: Topics, new_only: bool, first: bytes
) -> None:
    await prepare(kafka, topics, 0, partitions=2)
    await put(kafka, topics.traces, [b"old"], partition=1)

    async with KafkaFollower(connection(kafka, slot="0"), topics.traces, new_only) as follower:
        caught_up = follower.caught_up()
        await put(kafka, topics.traces, [b"new"], partition=1)
        batches = aiter(follower.batches())
        found = await anext(batches)

    assert found[0].value == first
    assert caught_up == new_only
