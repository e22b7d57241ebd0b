"""`streamgauge assemble` on the folder log: from spans in any pieces to rows that are scored."""

import asyncio
import json
import random
import signal
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest

from schemas.score import ScoreEvent
from streams.assemble.rows import rows
from streams.commands.assembling import assemble
from streams.commands.scoring import score
from streams.console.lookup import messages
from streams.folder.topic import make_topic, read
from streams.folder.writer import Entry, TopicWriter
from streams.ports import Record
from streams.settings.load import load
from streams.wiring.broker import Wiring
from tests.command import started, streamgauge
from tests.fakes import NOON
from tests.streams.assemble.conversations import a_conversation, in_pieces
from tests.streams.assemble.otlp_batches import as_json, as_proto
from tests.streams.assemble.spans import a_span, trace_id

NOON_MS = int(NOON.timestamp() * 1000)


def wiring(root: Path, **sections: dict[str, object]) -> Wiring:
    defaults: dict[str, object] = {
        "broker": f"folder:{root}",
        "sampling": {"probability": 1.0},
        "serve": {"port": 0},
        "alerts": [],
    }
    return Wiring(load(None, defaults | sections))


def put(root: Path, pieces: Sequence[bytes], *, partitions: int = 1, first: int = 0) -> None:
    """Write records to the topic of spans, a second apart, dealt out to its partitions."""
    make_topic(root / "otlp_spans", partitions=partitions)
    writer = TopicWriter.open(root, "otlp_spans")
    for number, value in enumerate(pieces, start=first):
        writer.append(number % partitions, [Entry(None, value, NOON_MS + 10 * number)])
    writer.close()


def by_key(records: Sequence[Record]) -> dict[str, list[bytes]]:
    found = defaultdict[str, list[bytes]](list)
    for record in records:
        found[(record.key or b"").decode()].append(record.value or b"")
    return dict(found)


def wanted(traces: Sequence[int]) -> dict[str, list[bytes]]:
    return {trace_id(n): [row.to_json() for row in rows(a_conversation(n))] for n in traces}


def on_topic(root: Path) -> dict[str, list[bytes]]:
    """Return what is on the traces topic, as the bytes that its rows have on every adapter."""
    return by_key(list(read(root, "rag.traces")))


async def test_spans_in_pieces_over_partitions_become_one_row_each_and_are_scored(
    tmp_path: Path,
) -> None:
    spans = [span for number in range(20) for span in a_conversation(number)]
    put(tmp_path, [as_proto(piece) for piece in in_pieces(spans, seed=3)], partitions=3)
    parts = wiring(tmp_path)

    await assemble(parts, once=True)
    await score(parts, once=True)

    assert on_topic(tmp_path) == wanted(range(20))
    events = list(messages(tmp_path, "rag.scores", ScoreEvent))
    scored = {one.trace.trace_id for one in events if one.scorer.name == "faithfulness"}
    assert scored == {trace_id(number) for number in range(20)}
    assert {one.outcome.status for one in events if one.scorer.name == "faithfulness"} == {"scored"}


async def test_a_second_run_finds_nothing_left_to_do(tmp_path: Path) -> None:
    put(tmp_path, [as_proto(a_conversation(1))])
    parts = wiring(tmp_path)

    await assemble(parts, once=True)
    await assemble(parts, once=True)

    assert on_topic(tmp_path) == wanted([1])


async def test_a_span_that_comes_after_a_restart_makes_no_second_row_of_its_trace(
    tmp_path: Path,
) -> None:
    spans = a_conversation(1)
    put(tmp_path, [as_proto(spans)])
    await assemble(wiring(tmp_path), once=True)

    put(tmp_path, [as_proto([spans[2]]), as_proto(a_conversation(2))], first=1)
    await assemble(wiring(tmp_path), once=True)

    assert on_topic(tmp_path) == wanted([1, 2])


async def test_only_what_scoring_could_draw_is_assembled(tmp_path: Path) -> None:
    put(tmp_path, [as_proto(a_conversation(number)) for number in range(200)])
    parts = wiring(tmp_path, sampling={"probability": 0.2})

    await assemble(parts, once=True)
    await score(parts, once=True)

    on_traces = on_topic(tmp_path).keys()
    scored = {one.trace.trace_id for one in messages(tmp_path, "rag.scores", ScoreEvent)}
    assert on_traces == scored
    assert 20 < len(on_traces) < 65


async def test_json_is_read_where_the_settings_say_so(tmp_path: Path) -> None:
    (tmp_path / "otlp_spans").mkdir()
    lines = [as_json(piece) for piece in in_pieces(a_conversation(4), seed=1)]
    (tmp_path / "otlp_spans" / "0.jsonl").write_bytes(b"\n".join(lines) + b"\n")

    await assemble(wiring(tmp_path, assemble={"encoding": "otlp_json"}), once=True)

    assert on_topic(tmp_path) == wanted([4])


async def test_what_cannot_be_read_lies_with_the_dead_letters(tmp_path: Path) -> None:
    put(tmp_path, [b"\xff\xff", as_proto(a_conversation(1))])

    await assemble(wiring(tmp_path), once=True)

    [letter] = read(tmp_path, "rag.dead")
    headers = dict(letter.headers)
    assert (letter.value, headers["streamgauge-reason"]) == (b"\xff\xff", b"not_otlp")
    assert headers["streamgauge-group"] == b"streamgauge-assemble"
    assert on_topic(tmp_path) == wanted([1])


async def test_a_backlog_is_closed_by_the_times_of_its_records_not_by_how_fast_it_is_read(
    tmp_path: Path,
) -> None:
    """The second half of the trace came a minute after the first: late, however fast we read."""
    spans = a_conversation(1)
    put(tmp_path, [as_proto(spans[:3])])
    put(tmp_path, [as_proto(a_conversation(2))], first=3_100)
    put(tmp_path, [as_proto(spans[3:])], first=6_000)

    await assemble(wiring(tmp_path), once=True)

    assert on_topic(tmp_path) == {
        trace_id(1): [row.to_json() for row in rows(spans[:3])],
    } | wanted([2])


async def test_a_trace_that_waits_does_not_stop_the_reading_of_its_partition(
    tmp_path: Path,
) -> None:
    """More records than may be read ahead of what is committed, and no time passes among them."""
    make_topic(tmp_path / "otlp_spans", partitions=1)
    writer = TopicWriter.open(tmp_path, "otlp_spans")
    values = [as_proto(a_conversation(0)), *[as_proto([a_span(1)])] * 9_000]
    writer.append(0, [Entry(None, value, NOON_MS) for value in values])
    writer.close()

    async with asyncio.timeout(60):
        await assemble(wiring(tmp_path), once=True)

    [row] = read(tmp_path, "rag.traces")
    assert b'"closed_early":"held_back"' in (row.value or b"")


@pytest.mark.service
async def test_killed_again_and_again_it_writes_every_row_once(tmp_path: Path) -> None:
    rng, written = random.Random(5), 0
    root = tmp_path / "data"
    section = {"quiet_after_root": "1s", "max_wait": "5s"}
    settings = {"broker": f"folder:{root}", "sampling": {"probability": 1.0}, "assemble": section}
    (tmp_path / "streamgauge.yaml").write_text(json.dumps(settings))

    def more(traces: int) -> None:
        nonlocal written
        for number in range(written, written + traces):
            pieces = [as_proto(one) for one in in_pieces(a_conversation(number), seed=number)]
            put(root, pieces, first=len(pieces) * number)
        written += traces

    more(20)
    for _ in range(4):
        with started("assemble", cwd=tmp_path) as process:
            before = len(list(read(root, "rag.traces")))
            async with asyncio.timeout(60):
                while len(list(read(root, "rag.traces"))) <= before:
                    more(1)
                    await asyncio.sleep(0.05)  # spans come while it runs
            await asyncio.sleep(rng.uniform(0, 0.5))  # the point in time is what is tried
            process.send_signal(signal.SIGKILL)
            process.wait()

    streamgauge("assemble", "--once", cwd=tmp_path)

    assert on_topic(root) == wanted(range(written))
