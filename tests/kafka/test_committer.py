"""What is done and cannot be committed is owed, until a commit is taken or nothing is left."""

import asyncio
from collections.abc import Callable
from typing import cast

from aiokafka import AIOKafkaConsumer
from aiokafka.errors import OffsetMetadataTooLargeError, RequestTimedOutError

from streams.kafka.committer import Committer
from streams.kafka.held import Held, Holdings
from streams.kafka.incidents import Incidents
from streams.tracker import Tracker
from tests.fakes import NOON


class Fickle:
    """A client that takes commits, or gets no answer to any. `taken` hears of the first."""

    takes = False
    taken: Callable[[], None] | None = None

    async def commit(self, offsets: object = None) -> None:
        if not self.takes:
            raise RequestTimedOutError
        if self.taken is not None:
            told, self.taken = self.taken, None
            asyncio.get_running_loop().call_soon(told)


def one_row_done() -> Holdings:
    holdings = Holdings()
    holdings.assign([0], 1)
    tracker = Tracker(0, 1)
    holdings.take(0, Held(tracker, "topic-id", since=0, reads=True, commits=True))
    one_more_done(holdings, 0)
    return holdings


def one_more_done(holdings: Holdings, offset: int) -> None:
    tracker = holdings.held[0].tracker
    tracker.hand_out(offset)
    tracker.passed(offset)
    tracker.seal(offset + 1)


def committing(consumer: Fickle, holdings: Holdings) -> Committer:
    client = cast(AIOKafkaConsumer, consumer)
    return Committer(client, "rag.traces", "nonce", holdings, lambda: NOON, Incidents())


async def test_a_refused_commit_is_owed_from_the_first_try_until_one_is_taken() -> None:
    consumer, holdings = Fickle(), one_row_done()
    committer = committing(consumer, holdings)
    committer.speak()

    await committer.commit()
    first = committer.owed.since
    await committer.commit()

    assert first is not None
    assert committer.owed.since == first
    consumer.takes = True
    assert await committer.commit()
    assert committer.owed.since is None


async def test_what_went_to_another_owner_is_owed_no_more() -> None:
    consumer, holdings = Fickle(), one_row_done()
    committer = committing(consumer, holdings)
    committer.speak()
    await committer.commit()

    holdings.assign([], 2)
    await committer.commit()

    assert committer.owed.since is None


async def test_a_commit_that_begins_as_another_ends_is_not_taken_for_it() -> None:
    consumer, holdings = Fickle(), one_row_done()
    committer = committing(consumer, holdings)
    committer.speak()
    next_one: list[asyncio.Task[bool]] = []

    def begin_the_next() -> None:
        one_more_done(holdings, 1)
        next_one.append(asyncio.create_task(committer.commit()))

    consumer.takes, consumer.taken = True, begin_the_next

    assert await committer.commit()
    assert await next_one[0]
    assert holdings.held[0].written == (2, b"")


class Narrow(Fickle):
    """A broker that takes no metadata at all, however short."""

    async def commit(self, offsets: object = None) -> None:
        await asyncio.sleep(0)
        raise OffsetMetadataTooLargeError


async def test_metadata_that_nothing_can_be_left_out_of_is_not_sent_without_end() -> None:
    committer = committing(Narrow(), one_row_done())
    committer.speak()

    async with asyncio.timeout(5):
        assert not await committer.commit()

    assert committer.owed.since is not None
    assert committer.incidents.counts["commit_map_dropped"] == 2
