"""`streamgauge` on a folder's topic with rows in every encoding."""

from collections import Counter
from pathlib import Path

import pytest

from schemas.score import ScoreEvent
from streams.address import EVENT_ID
from streams.folder.topic import read
from streams.folder.writer import Entry, TopicWriter
from tests.command import streamgauge
from tests.streams.intake.enveloped import AVRO, EVERY, SEEN, SHOP

pytestmark = pytest.mark.service

LATER = 1_900_000_000_000


def topic(folder: Path, encoding: str) -> Path:
    writer = TopicWriter.open(folder / "log", "rag.traces", partitions=1)
    writer.append(0, [Entry(None, one.value, LATER, one.headers) for one in EVERY])
    writer.append(0, [Entry(None, AVRO, LATER)])
    writer.close()
    (folder / "streamgauge.yaml").write_text(
        f"broker: folder:log\nsampling: {{probability: 1}}\nintake: {{encoding: {encoding}}}\n"
    )
    return folder / "log"


def scored(log: Path) -> dict[str, ScoreEvent]:
    events = [
        ScoreEvent.model_validate_json(record.value or b"")
        for record in read(log, "rag.scores")
        if EVENT_ID in dict(record.headers)
    ]
    faithful = [event for event in events if event.scorer.name == "faithfulness"]
    assert max(Counter(event.trace.trace_id for event in faithful).values()) == 1
    return {event.trace.trace_id: event for event in faithful}


def refused(log: Path) -> list[tuple[bytes | None, bytes]]:
    return [
        (record.value, dict(record.headers)["streamgauge-reason"])
        for record in read(log, "rag.dead")
    ]


def test_auto_scores_and_finds_them_all_and_sets_aside_what_it_cannot_read(tmp_path: Path) -> None:
    log = topic(tmp_path, "auto")

    streamgauge("score", "--once", cwd=tmp_path)

    events = scored(log)
    assert events.keys() == {one.trace_id for one in EVERY}
    assert {event.outcome.status for event in events.values()} == {"scored"}
    assert events["t-prefix"].attributes == {"schema_id": "7"}
    assert events["t-base64"].attributes == {"ce_id": "e-2", "ce_source": "/helpdesk"}
    assert events["0af7651916cd43dd8448eb211c80319c"].trace.span_id == "00f067aa0ba902b7"
    assert events[SHOP].trace.service == "shop-assistant"
    assert refused(log) == [(AVRO, b"unsupported_encoding")]
    shown = streamgauge("show", SHOP, cwd=tmp_path).stdout
    assert f"row rag.traces/0/{len(EVERY) - 2}" in shown  # its id stands nowhere as text


def test_check_names_what_it_sees_and_what_the_settings_miss(tmp_path: Path) -> None:
    topic(tmp_path, "json")

    said = streamgauge("check", cwd=tmp_path, code=3).stdout

    assert f"{SEEN}; intake.encoding: json reads no other" in said
