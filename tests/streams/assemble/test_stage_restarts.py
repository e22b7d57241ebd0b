"""What the stage does of earlier lives, of partitions that go and come, and at its end."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta

from streams.address import EVENT_ID, ORIGIN, Letter
from streams.ports import Record
from tests.fakes import NOON, no_beats
from tests.streams.assemble.spans import a_span, a_whole_trace, trace_id
from tests.streams.assemble.staging import NOON_MS, ListPost, Spans, a_stage, at


async def test_a_stop_writes_nothing_of_what_is_open_and_leaves_its_records_open() -> None:
    source, post = Spans([[at(0, a_span(0, root=True))]]), ListPost()
    stage = a_stage(source, post)

    stage.stop()
    await stage.run(no_beats())
    assert post.letters == []

    source.stopped = False
    again = a_stage(source, post, ends=False)
    await again.run(no_beats())
    assert (post.letters, source.still_open) == ([], {0})


async def test_what_an_earlier_life_finished_is_done_and_what_comes_late_of_it_too() -> None:
    done = at(0, a_span(0, root=True))._replace(finished=True)
    source = Spans([[done, at(1, a_span(0, 1))]])
    post = ListPost()

    await a_stage(source, post).run(no_beats())

    assert (post.letters, source.still_open) == ([], set())


async def test_a_row_that_an_earlier_life_wrote_is_not_written_again_though_a_span_came_late() -> (
    None
):
    one, two = ListPost(), ListPost()
    records = [at(4, *a_whole_trace(0, 2)), at(5, a_span(1, root=True))]
    await a_stage(Spans([records]), one).run(no_beats())
    headers = dict(one.letters[0].headers)
    assert headers[ORIGIN] == f"otlp_spans/0/4/{NOON_MS}".encode()

    published = frozenset({headers[EVENT_ID].decode()})
    again = Spans([[records[0]._replace(published=published), at(5, a_span(0, 7), a_span(1))]])
    await a_stage(again, two).run(no_beats())

    assert list(two.answers) == [trace_id(1)]
    assert again.still_open == set()


async def test_traces_of_a_partition_that_was_lost_are_not_written() -> None:
    source = Spans([[at(0, a_span(0, root=True))], [at(0, a_span(1), partition=1)]], gone={0: 1})
    post = ListPost()

    await a_stage(source, post).run(no_beats())

    assert list(post.answers) == [trace_id(1)]


async def test_a_partition_that_comes_back_in_a_new_epoch_begins_anew() -> None:
    first, root = at(0, a_span(0, 1)), at(1, a_span(0, 0, root=True))
    source = Spans([[first], [first._replace(epoch=2), root._replace(epoch=2)]])
    post = ListPost()

    await a_stage(source, post).run(no_beats())

    assert post.answers == {trace_id(0): "2 spans."}


async def test_rows_that_are_being_written_when_the_source_ends_are_written() -> None:
    """A beat writes the first trace, and has not ended when the source does."""
    writing, ended = asyncio.Event(), asyncio.Event()

    class SlowPost(ListPost):
        async def send(self, letters: Sequence[Letter]) -> None:
            if letters:
                writing.set()
                await ended.wait()
            await super().send(letters)

    class EndsMeanwhile(Spans):
        async def batches(self) -> AsyncIterator[Sequence[Record]]:
            yield self.batched[0]
            stage.time.saw(at(1, second=6))
            beat.set()
            await writing.wait()
            asyncio.get_running_loop().call_soon(ended.set)

    beat = asyncio.Event()

    async def one_beat() -> AsyncIterator[datetime]:
        await beat.wait()
        yield NOON

    post = SlowPost()
    stage = a_stage(EndsMeanwhile([[at(0, a_span(0, root=True))]]), post)
    await stage.run(one_beat())

    assert list(post.answers) == [trace_id(0)]


async def test_time_closes_traces_while_nothing_comes() -> None:
    """The source has no more records, and does not end: beats alone let time pass."""
    source, post = Spans([[at(0, a_span(0, root=True))]]), ListPost()
    stage = a_stage(source, post, ends=False)
    await stage.run(no_beats())
    stage.time.saw(at(1, second=6))

    async def one() -> AsyncIterator[datetime]:
        yield datetime.now(UTC) + timedelta(seconds=1)

    await stage._keep_time(one())

    assert len(post.letters) == 1
