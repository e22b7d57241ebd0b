"""Whether a group left records of a topic behind: asked from outside of it."""

from contextlib import AsyncExitStack
from datetime import timedelta

from streams.kafka.connection import Connection
from streams.kafka.deadlines import ANSWER, left, within
from streams.kafka.group_offsets import group_offsets
from streams.kafka.innards import partitions_of
from streams.kafka.probe import reaching
from streams.kafka.starting import patiently, started

PATIENCE = timedelta(seconds=10)
"""For a broker to answer at all."""


async def left_behind(connection: Connection, *, group: str, topic: str) -> bool:
    """Say whether there are records at or behind what a group has committed of a topic.

    A group that has committed nothing of it has left nothing behind. Raises ConnectionError.
    """
    async with reaching(connection), AsyncExitStack() as stack:
        admin = await started(connection.admin, PATIENCE)
        stack.push_async_callback(lambda: left(admin.close()))
        reader = await started(connection.reader, PATIENCE)
        stack.push_async_callback(lambda: left(reader.stop()))
        there = await within(ANSWER, partitions_of(reader, topic))
        # A cluster that never had a group makes itself ready for groups at the first question.
        found = await patiently(lambda: within(ANSWER, group_offsets(admin, group)), PATIENCE)
        commits = {
            at: offset
            for at, (offset, _) in found.items()
            if at.topic == topic and at.partition in there
        }
        ends = await within(ANSWER, reader.end_offsets(list(commits))) if commits else {}
    return any(commits[at] < ends[at] for at in commits)
