"""What the group may ask in a minute is shared out as its partitions are."""

import pytest

from streams.address import Topics
from streams.scoring.share import share_of
from tests.kafka.cluster_admin import make_all
from tests.kafka.member import connection_of, member
from tests.kafka.waiting import eventually

pytestmark = pytest.mark.service


async def test_a_member_has_all_while_it_is_alone_and_half_while_it_is_not(
    kafka: str, topics: Topics
) -> None:
    await make_all(kafka, topics, partitions=4)

    async with member(connection_of(kafka), topics) as ours:
        await eventually(lambda: share_of(ours.source) == 1.0)
        async with member(connection_of(kafka, slot="1"), topics) as theirs:
            await eventually(lambda: share_of(ours.source) == share_of(theirs.source) == 0.5)
        await eventually(lambda: share_of(ours.source) == 1.0)
