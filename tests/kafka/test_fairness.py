"""A crowded partition takes nothing from the others, and a reader without room stays a member.

I7 fairness · I6 bounded memory · F41 batches that inflate
"""

import asyncio

import pytest

from streams.address import Topics
from tests.kafka.cluster_admin import make_all, producer_of, put
from tests.kafka.member import connection_of, everything, member
from tests.kafka.processes import traces
from tests.kafka.waiting import eventually

pytestmark = pytest.mark.service


async def test_one_crowded_partition_makes_no_other_wait(kafka: str, topics: Topics) -> None:
    """I7: what the others have comes within one turn of each, whatever lies on the first."""
    await make_all(kafka, topics, partitions=4)
    await put(kafka, topics.traces, [b"x" * 500] * 20_000)
    for number in (1, 2, 3):
        await put(kafka, topics.traces, traces(50), partition=number)

    async with member(connection_of(kafka), topics) as one:
        await eventually(lambda: len(one.rows) == 20_150)

        last = max(at for at, place in enumerate(one.places) if place[0] != 0)
        assert sum(place[0] == 0 for place in one.places[:last]) < 10_000


async def test_a_reader_without_any_room_stays_in_its_group(kafka: str, topics: Topics) -> None:
    """I6: for three sessions no row is taken; then it goes on where it stood, without a rejoin."""
    await make_all(kafka, topics)
    await put(kafka, topics.traces, traces(20))

    async with member(connection_of(kafka), topics, opens=everything, span=8) as one:
        await eventually(lambda: len(one.rows) == 8)
        epoch = one.source._holdings.epoch
        await asyncio.sleep(9)  # time itself is what is tried here
        assert len(one.rows) == 8
        assert one.source._poller.pauses.paused == {0}

        def all_came() -> bool:
            one.finish()
            return len(one.rows) == 20

        await eventually(all_came)
        assert one.source._holdings.epoch == epoch


async def test_the_end_of_the_log_is_seen_to_move_while_reading_stands(
    kafka: str, topics: Topics
) -> None:
    """I5: lag is what an operator looks at when nothing else moves."""
    await make_all(kafka, topics)
    await put(kafka, topics.traces, traces(10))

    async with member(connection_of(kafka), topics, opens=everything, span=8) as one:
        await eventually(lambda: len(one.rows) == 8)
        await put(kafka, topics.traces, traces(90))

        await eventually(lambda: one.source.progress()[0].end == 100)
        assert one.source.progress()[0].next == 0


async def test_a_batch_that_inflates_is_read_and_let_go_again(kafka: str, topics: Topics) -> None:
    """F41 with I6: 60 MB of rows in some kilobytes on the wire."""
    await make_all(kafka, topics)
    size, rows = 1_000_000, 60
    settings = {"max_request_size": 2 * size * rows, "max_batch_size": 2 * size * rows}
    async with producer_of(kafka, compression_type="gzip", **settings) as producer:
        sent = [await producer.send(topics.traces, b"x" * size, partition=0) for _ in range(rows)]
        await asyncio.gather(*sent)

    async with member(connection_of(kafka), topics, opens=everything) as one:

        def all_came() -> bool:
            one.finish()
            return len(one.rows) == rows

        await eventually(all_came)
        await eventually(lambda: one.source.progress()[0].next == rows)
        assert one.source._holdings.bytes_open == 0
