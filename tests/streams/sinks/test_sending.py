"""From the scores topic to another system: what is sent, and what is passed over."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from schemas.score import NotScorable
from schemas.wire import to_milliseconds
from scorers.judges.http import HttpClient
from streams.address import Topics, letter
from streams.pipeline import run
from streams.ports import Message, Record
from streams.sinks.delivery import Delivery
from streams.sinks.posts import Post
from streams.sinks.sending import Sending
from tests.fakes import NOON, ListSource, no_beats
from tests.streams.sinks.sink_server import System, system
from tests.streams.watch.records import a_score, a_tally


def on_topic(*messages: Message) -> ListSource:
    """Return the scores topic with these messages."""
    records = []
    for offset, message in enumerate(messages):
        one = letter(message, Topics())
        records.append(
            Record("rag.scores", 0, offset, one.key, one.value, to_milliseconds(NOON), one.headers)
        )
    return ListSource(records)


@asynccontextmanager
async def delivering(here: System) -> AsyncIterator[Delivery]:
    client = HttpClient(timeout_seconds=5, allow_private=True)
    yield Delivery(
        "phoenix", here.url, {}, lambda event: Post("/", event.event_id), client, lambda: NOON,
        lambda sink, outcome: None,
    )  # fmt: skip
    await client.close()


async def sent(source: ListSource) -> list[object]:
    async with system() as here, delivering(here) as delivery:
        half = Sending(source, delivery)
        await run(source, half, beats=no_beats(), clock=lambda: NOON, in_flight=4)
    return [body for _, body in here.taken]


async def test_verdicts_are_sent_and_all_else_is_passed_over() -> None:
    source = on_topic(
        a_tally(0, rows=(0, 5)),
        a_score(0, 0, event_id="a"),
        a_score(1, 0, NotScorable(reason="undecided"), event_id="b"),
        a_score(2, 0, event_id="c", run="r1"),
        a_score(3, 0, event_id="d"),
    )

    assert sorted(map(str, await sent(source))) == ["a", "d"]
    assert sorted(source.finished) == [1, 4]


async def test_all_that_was_read_may_be_committed_once_it_is_sent() -> None:
    source = on_topic(*(a_score(n, 0, event_id=f"e{n}") for n in range(70)))

    assert len(await sent(source)) == 70
    assert source.sealed == [64, 70]


async def test_what_an_earlier_life_sent_is_not_sent_again() -> None:
    source = on_topic(a_score(0, 0, event_id="a"), a_score(1, 0, event_id="b"))
    first, second = source.records
    source.records = [first._replace(finished=True), second]

    assert await sent(source) == ["b"]


async def test_a_score_that_cannot_be_read_holds_nothing_up() -> None:
    source = on_topic(a_score(0, 0, event_id="a"), a_score(1, 0, event_id="b"))
    first, second = source.records
    source = replace(source, records=[first._replace(value=b"{"), second])

    assert await sent(source) == ["b"]
