"""What a run that goes on must agree with, and what its parts have in common."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import JsonValue

from schemas.run import Run, Stretch
from streams.folder.glance import FolderGlance
from streams.folder.writer import Entry, TopicWriter
from streams.replay.asked import Asked, Limit, Shard
from streams.replay.beginning import (
    begun,
    bounded,
    check_agrees,
    check_known,
    check_same_log,
    part_of,
    taken_up,
)
from streams.replay.planning import Extent, Extents, Plan, ReplayRefusedError
from streams.replay.runs import Runs
from tests.fakes import NOON

WHOLE = Asked(run="r", begin=NOON)
HALF = replace(WHOLE, shard=Shard(1, 2))


def manifest(asked: Asked) -> Run:
    kept: dict[str, JsonValue] = {"sampling": {"probability": 0.5}}
    return begun(asked, Plan("id", 2, {}), kept, topic="rag.traces", at=NOON)


def test_what_is_left_out_is_as_the_run_began() -> None:
    run = taken_up(manifest(WHOLE), Asked(run="r"), topic="rag.traces")

    assert (run.from_, run.life) == (NOON, 2)


@pytest.mark.parametrize(
    ("asked", "topic", "words"),
    [
        (Asked(run="r", begin=NOON + timedelta(hours=1)), "rag.traces", "--from: run r began"),
        (Asked(run="r", end=NOON), "rag.traces", "--to: run r began with none"),
        (Asked(run="r", probability=0.9), "rag.traces", "--probability: run r began with 0.5"),
        (Asked(run="r", again=True), "rag.traces", "--again: run r began with none"),
        (Asked(run="r"), "old.jsonl", "the topic: run r began with rag.traces"),
    ],
)
def test_what_differs_from_how_the_run_began_is_refused(
    asked: Asked, topic: str, words: str
) -> None:
    with pytest.raises(ReplayRefusedError, match=words):
        check_agrees(manifest(WHOLE), asked, topic=topic)


def test_every_part_of_a_run_begins_as_the_first_one() -> None:
    other = replace(HALF, shard=Shard(2, 2))

    assert part_of(other, [manifest(HALF)], topic="rag.traces") == manifest(HALF)
    assert part_of(HALF, [manifest(HALF)], topic="rag.traces") is None
    with pytest.raises(ReplayRefusedError, match="--to"):
        part_of(replace(other, end=NOON), [manifest(HALF)], topic="rag.traces")


@pytest.mark.parametrize(
    ("first", "asked"), [(WHOLE, HALF), (HALF, WHOLE), (HALF, replace(HALF, shard=Shard(2, 3)))]
)
def test_parts_that_would_overlap_are_refused(first: Asked, asked: Asked) -> None:
    with pytest.raises(ReplayRefusedError, match="its parts would overlap"):
        part_of(asked, [manifest(first)], topic="rag.traces")


@pytest.mark.parametrize(
    ("topic_id", "ends", "words"),
    [("other", [9], "other rows"), ("id", [4], "fewer rows"), ("id", [], "fewer rows")],
)
def test_a_log_that_is_another_one_now_or_was_cut_is_not_gone_on_with(
    topic_id: str, ends: list[int], words: str
) -> None:
    run = manifest(WHOLE).model_copy(update={"partitions": {0: Stretch(start=0, end=5)}})
    there = Extents(topic_id, {n: Extent(0, end, 0, None) for n, end in enumerate(ends)})

    check_same_log(run, Extents("id", {0: Extent(0, 7, 0, None)}))
    with pytest.raises(ReplayRefusedError, match=words):
        check_same_log(run, there)


async def test_a_run_that_a_later_version_wrote_does_not_begin_anew(tmp_path: Path) -> None:
    later = manifest(WHOLE).to_json().replace(b"streamgauge.run/1", b"streamgauge.run/2")
    topic = TopicWriter.open(tmp_path, "rag.runs")
    topic.append(0, [Entry(b"r", later, 0), Entry(b"x", b'{"run":3}', 0)])
    topic.close()
    runs = Runs(FolderGlance(tmp_path), "rag.runs")

    with pytest.raises(ReplayRefusedError, match="is of streamgauge"):
        await runs.parts("r")

    assert await runs.parts("another") == {}


def test_a_run_keeps_its_budget_until_another_one_is_given() -> None:
    run = bounded(manifest(WHOLE), Asked(run="r", limit=Limit(calls=5)))

    kept = bounded(run, Asked(run="r"))
    raised = bounded(run, Asked(run="r", limit=Limit(cost_usd=2.5)))

    assert (kept.most_calls, kept.most_usd) == (5, None)
    assert (raised.most_calls, raised.most_usd) == (None, 2.5)
    assert bounded(run, Asked(run="r", limit=Limit())).most_calls is None


def test_nothing_is_bought_to_answer_a_question_about_a_run_that_never_began() -> None:
    run = manifest(WHOLE)

    with pytest.raises(ReplayRefusedError, match=r"no run q has begun \(there are r\)"):
        check_known(Asked(run="q", known=True), [run])
    with pytest.raises(ReplayRefusedError, match="there is none yet"):
        check_known(Asked(run="q", known=True), [])

    check_known(Asked(run="r", known=True), [run])
    check_known(Asked(run="q"), [run])
