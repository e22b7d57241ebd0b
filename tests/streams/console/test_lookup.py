"""Finding rows and scores again on the folder log, whatever comes in between."""

from base64 import b64decode, b64encode
from datetime import timedelta
from pathlib import Path

from schemas.wire import to_milliseconds
from streams.address import Topics
from streams.console.lookup import Lookup
from streams.console.show import event_account
from streams.folder.glance import FolderGlance
from streams.folder.writer import Entry, TopicWriter
from streams.intake.decode import Intake
from tests.fakes import NOON, a_trace
from tests.streams.ports.messages import a_score

AT = to_milliseconds(NOON)
TOPICS = Topics()
FILLER = b'{"filler": "' + b"x" * 1000 + b'"}'


def write(root: Path, topic: str, *values: bytes, partition: int = 0, partitions: int = 1) -> None:
    writer = TopicWriter.open(root, topic, partitions=partitions)
    writer.append(partition, [Entry(None, value, AT + n) for n, value in enumerate(values)])
    writer.close()


def score(event_id: str) -> bytes:
    return a_score(event_id=event_id).to_json()


def lookup(root: Path, patience: timedelta = timedelta(seconds=20)) -> Lookup:
    return Lookup(FolderGlance(root), TOPICS, Intake().decode, patience)


async def test_every_record_comes_once_the_latest_stretch_first(tmp_path: Path) -> None:
    for partition in range(2):
        write(tmp_path, "rag.traces", *[FILLER] * 900, partition=partition, partitions=2)

    stretches = [some async for some in FolderGlance(tmp_path).backwards("rag.traces")]

    places = [(record.partition, record.offset) for some in stretches for record in some]
    assert len(stretches) > 2
    assert sorted(places) == [(number, offset) for number in range(2) for offset in range(900)]
    assert {record.offset for record in stretches[0]} > {899}
    assert 0 in {record.offset for record in stretches[-1]}


async def test_the_latest_rows_are_shared_among_partitions(tmp_path: Path) -> None:
    for partition in range(2):
        write(tmp_path, "rag.traces", *[FILLER] * 9, partition=partition, partitions=2)

    found = await FolderGlance(tmp_path).latest("rag.traces", 4)

    assert [(record.partition, record.offset) for record in found] == [
        (0, 7),
        (0, 8),
        (1, 7),
        (1, 8),
    ]


async def test_a_row_is_found_behind_others_that_only_hold_its_id(tmp_path: Path) -> None:
    other = a_trace("See t-7 for more.", id="t-71").to_json()
    write(tmp_path, "rag.traces", a_trace(id="t-7").to_json(), *[FILLER] * 900, other)

    found = await lookup(tmp_path).row("t-7")

    assert found is not None
    assert found.offset == 0


async def test_a_row_whose_id_is_not_written_out_is_found_by_reading_every_row(
    tmp_path: Path,
) -> None:
    write(tmp_path, "rag.traces", *map(b64encode, (a_trace(id="t-7").to_json(), FILLER)))
    decode = Intake(envelope=lambda record: (b64decode(record.value or b""), None)).decode
    finder = Lookup(FolderGlance(tmp_path), TOPICS, decode, literal=False)

    found = await finder.row("t-7")

    assert found is not None
    assert found.offset == 0


async def test_a_row_that_cannot_be_read_is_found_by_the_id_in_it(tmp_path: Path) -> None:
    write(tmp_path, "rag.traces", b'{"trace_id": "t-7", "service": 1.5}', FILLER)

    found = await lookup(tmp_path).row("t-7")

    assert found is not None
    assert found.offset == 0


async def test_a_verdict_that_was_written_twice_is_found_once_in_the_order_of_writing(
    tmp_path: Path,
) -> None:
    values = [score("a"), *[FILLER] * 600, score("b"), score("a")]
    write(tmp_path, "rag.scores", *values)

    found = await lookup(tmp_path).scores({"t"})

    assert [event.event_id for event in found["t"]] == ["a", "b"]


async def test_a_verdict_of_a_run_stands_beside_the_live_one_unless_it_is_that_one(
    tmp_path: Path,
) -> None:
    live, replayed = a_score(), {"mode": "replay", "run": "r"}
    own = live.model_copy(update=replayed)
    found_again = own.model_copy(update={"reused": True})
    write(tmp_path, "rag.scores", *(event.to_json() for event in (own, live, found_again)))

    found = await lookup(tmp_path).scores({"t"})

    assert found["t"] == [own, live]
    assert ["in run r" in next(event_account(event)).text for event in found["t"]] == [True, False]


async def test_a_score_of_a_file_whose_name_no_topic_can_have_has_no_row(tmp_path: Path) -> None:
    event = a_score()
    origin = event.origin.model_copy(update={"topic": "my rows.jsonl"})

    found = await lookup(tmp_path).row("t", [event.model_copy(update={"origin": origin})])

    assert found is None


async def test_a_score_tells_where_its_row_lies(tmp_path: Path) -> None:
    row = a_trace(id="t").to_json()
    write(tmp_path, "rag.traces", FILLER, row, *[FILLER] * 900, row)
    finder = lookup(tmp_path)

    found = await finder.row("t", [a_score(offset=1)])
    elsewhere = await finder.row("t", [a_score(offset=5000)])

    assert found is not None
    assert elsewhere is not None
    assert (found.offset, elsewhere.offset) == (1, 902)


async def test_a_search_that_takes_too_long_says_how_far_back_it_went(tmp_path: Path) -> None:
    write(tmp_path, "rag.traces", a_trace(id="t-7").to_json(), *[FILLER] * 900)
    impatient = lookup(tmp_path, timedelta(0))

    assert await impatient.row("t-7") is None
    assert AT < impatient.unread["rag.traces"] <= AT + 900


async def test_a_verdict_that_a_run_found_stands_for_it_where_the_run_alone_is_asked(
    tmp_path: Path,
) -> None:
    live = a_score(event_id="e")
    found = live.model_copy(update={"run": "r", "mode": "replay", "reused": True})
    write(tmp_path, "rag.scores", live.to_json(), found.to_json())
    look = lookup(tmp_path)

    of_live = await look.scores({"t"}, of=lambda event: event.run is None)
    of_run = await look.scores({"t"}, of=lambda event: event.run == "r")

    assert (of_live, of_run) == ({"t": [live]}, {"t": [found]})


async def test_a_topic_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    found = lookup(tmp_path)

    assert await found.alerts() == []
    assert await found.row("t-7") is None
    assert (await found.scores({"t-7"}), found.unread) == ({}, {})
