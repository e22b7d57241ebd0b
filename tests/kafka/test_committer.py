"""What is done and cannot be committed is owed, until a commit is taken or nothing is left."""

from typing import cast

from aiokafka import AIOKafkaConsumer
from aiokafka.errors import RequestTimedOutError

from streams.kafka.committer import Committer
from streams.kafka.held import Held, Holdings
from streams.kafka.incidents import Incidents
from streams.tracker import Tracker
from tests.fakes import NOON


class Fickle:
    """A client that takes commits, or gets no answer to any."""

    takes = False

    async def commit(self, offsets: object = None) -> None:
        if not self.takes:
            raise RequestTimedOutError


def one_row_done() -> Holdings:
    holdings = Holdings()
    holdings.assign([0], 1)
    tracker = Tracker(0, 1)
    holdings.take(0, Held(tracker, "topic-id", since=0, reads=True, commits=True))
    tracker.hand_out(0)
    tracker.passed(0)
    tracker.seal(1)
    return holdings


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
