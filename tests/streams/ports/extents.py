"""What every survey must say of a topic's logs, whatever the adapter."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from streams.replay.planning import Extent, Extents, Survey
from tests.fakes import NOON
from tests.streams.ports.log import AT, TOPICS, Log, Row


def at_minutes(*minutes: int) -> list[Row]:
    """Return rows of so many minutes after noon, in that order."""
    return [Row(b"{}", timestamp=AT + 60_000 * minute) for minute in minutes]


async def partitions_of(
    survey: Survey, *, from_: datetime | None = None, to: datetime | None = None
) -> Mapping[int, Extent]:
    found = await survey.extents(TOPICS.traces, from_=from_, to=to)
    return found.partitions


class ExtentsSuite:
    """How long each partition is, how old it is, and where a time begins in it."""

    @pytest.fixture
    def log(self) -> Log:
        raise NotImplementedError("an adapter's test module gives its own")

    @pytest.fixture
    def survey(self) -> Survey:
        raise NotImplementedError("an adapter's test module gives its own")

    async def test_each_partition_says_where_it_ends_and_where_a_time_begins(
        self, log: Log, survey: Survey
    ) -> None:
        await log.make(partitions=3)
        await log.put(at_minutes(0, 1, 2, 3), partition=0)
        await log.put(at_minutes(0, 1), partition=1)

        found = await partitions_of(survey, from_=NOON + timedelta(minutes=2))

        assert found == {
            0: Extent(0, 4, 2, AT),
            1: Extent(0, 2, None, AT),
            2: Extent(0, 0, None, None),
        }

    async def test_without_a_time_the_first_row_is_the_first_that_there_is(
        self, log: Log, survey: Survey
    ) -> None:
        await log.make(partitions=2)
        await log.put(at_minutes(5, 1))

        found = await partitions_of(survey)

        assert found[0] == Extent(0, 2, 0, AT + 300_000)
        assert found[1].first is None

    @pytest.mark.parametrize(("minute", "first"), [(0, 0), (2, 1), (3, 1), (5, 4), (10, None)])
    async def test_times_out_of_order_leave_no_row_before_the_first(
        self, log: Log, survey: Survey, minute: int, first: int | None
    ) -> None:
        await log.make(partitions=1)
        await log.put(at_minutes(1, 3, 0, 2, 9))

        found = await partitions_of(survey, from_=NOON + timedelta(minutes=minute))

        assert found[0].first == first

    async def test_a_row_from_a_clock_that_is_ahead_ends_nothing(
        self, log: Log, survey: Survey
    ) -> None:
        await log.make(partitions=1)
        ahead = 60 * 24
        await log.put(at_minutes(0, ahead, 1, 2))

        found = await partitions_of(survey, from_=NOON, to=NOON + timedelta(minutes=5))

        assert (found[0].end, found[0].beyond) == (4, None)

    async def test_a_time_before_all_times_is_the_begin(self, log: Log, survey: Survey) -> None:
        await log.make(partitions=1)
        await log.put(at_minutes(0))

        found = await partitions_of(survey, from_=datetime(1960, 1, 1, tzinfo=UTC))

        assert found[0].first == 0

    async def test_a_topic_that_is_there_has_its_id(self, log: Log, survey: Survey) -> None:
        await log.make(partitions=1)
        await log.put(at_minutes(0))

        (row,) = await self._read(log)

        assert (await survey.extents(TOPICS.traces, from_=None, to=None)).topic_id == row

    async def test_of_a_topic_that_is_unknown_there_is_nothing_at_once(
        self, log: Log, survey: Survey
    ) -> None:
        assert await survey.extents("rag.unknown", from_=NOON, to=None) == Extents("", {})

    async def _read(self, log: Log) -> Sequence[str]:
        """Return the id of the topic as those who read it know it."""
        async with log.source() as source:
            return [record.topic_id async for batch in source.batches() for record in batch]
