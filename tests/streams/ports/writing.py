"""What every sink must write, and where."""

from schemas.mark import Mark
from schemas.rejection import Rejection
from tests.fakes import NOON
from tests.streams.ports.driving import everything, take
from tests.streams.ports.log import AT, TOPICS, Log, Row
from tests.streams.ports.messages import a_mark, a_score, a_tally


class WritingSuite:
    """What a sink writes, and where."""

    async def test_an_assistants_scores_and_tallies_are_together_and_in_order(
        self, log: Log
    ) -> None:
        await log.make(partitions=3)
        async with log.sink() as sink:
            for n in range(8):
                await sink.publish(
                    [a_score(event_id=f"e{n}", service=f"s{n % 4}"), a_tally(service=f"s{n % 4}")]
                )

        found = await log.read(TOPICS.scores)

        assert len(found) == 16
        for service in range(4):
            key = f"s{service}/production".encode()
            own = [record for record in found if record.key == key]
            assert len({record.partition for record in own}) == 1
            ids = [i.decode() for r in own if (i := dict(r.headers).get("streamgauge-event-id"))]
            assert ids == [f"e{service}", f"e{service + 4}"]

    async def test_a_message_lies_on_its_topic_as_it_was_sent(self, log: Log) -> None:
        await log.make(partitions=1)
        score = a_score()
        async with log.sink() as sink:
            await sink.publish([score])

        (found,) = await log.read(TOPICS.scores)

        assert found.value == score.to_json()
        assert dict(found.headers)["streamgauge-origin"] == b"rag.traces/0/0/%d" % AT

    async def test_each_partition_gets_a_mark_with_its_own_end_of_scores(self, log: Log) -> None:
        await log.make(partitions=3)
        async with log.sink() as sink:
            await sink.publish([a_score(service=f"s{n}") for n in range(10)])
            await sink.mark(a_mark())

        ends = {0: 0, 1: 0, 2: 0}
        for record in await log.read(TOPICS.scores):
            ends[record.partition] = record.offset + 1
        marks = await log.read(TOPICS.marks)
        copies = {r.partition: Mark.model_validate_json(r.value or b"") for r in marks}
        assert {partition: mark.scores for partition, mark in copies.items()} == ends
        assert sum(ends.values()) == 10
        assert all(mark.model_copy(update={"scores": 0}) == a_mark() for mark in copies.values())

    async def test_a_dead_letter_keeps_its_bytes_key_and_headers(self, log: Log) -> None:
        await log.make(partitions=1)
        await log.put([Row(b"\xff{not json", b"\xfek", (("h", b"1"), ("h", b"\xff")))])
        async with log.source() as source, log.sink() as sink:
            (record,) = await take(source, work=everything)
            await sink.reject(record, Rejection("not_utf8", "byte 0"), at=NOON)
            source.done(record)

        (dead,) = await log.read(TOPICS.dead)

        assert (dead.key, dead.value) == (record.key, record.value)
        assert [value for name, value in dead.headers if name == "original-h"] == [b"1", b"\xff"]
        assert dict(dead.headers)["streamgauge-reason"] == b"not_utf8"
        assert dict(dead.headers)["streamgauge-origin"] == b"rag.traces/0/0/%d" % AT
