import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.score import InvalidInput, Outcome, ScoreEvent
from schemas.tally import Tally
from streams.address import Topics, letter
from streams.folder.glance import FolderGlance
from streams.folder.sink import FolderSink
from streams.folder.writer import Entry
from streams.ports import Record
from streams.replay.skimmed import BEFORE
from streams.replay.verdicts import Verdicts
from tests.streams.watch.records import MIDNIGHT, a_score, a_tally, at, bad, failed, good, undecided

TOPICS = Topics()
RUN = "backfill"


def an_event(
    event_id: str = "aa", outcome: Outcome | None = None, *, run: str | None = None, row: int = 0
) -> ScoreEvent:
    return a_score(row, 0, outcome, event_id=event_id, run=run)


def a_record_of(event: ScoreEvent, offset: int) -> Record:
    to = letter(event, TOPICS)
    return Record(to.topic, 0, offset, to.key, to.value, 0, to.headers)


async def write(
    root: Path, *messages: ScoreEvent | Tally, minute: int = 0, partitions: int = 1
) -> None:
    def clock() -> datetime:
        return MIDNIGHT + timedelta(minutes=minute)

    async with FolderSink(root, TOPICS, clock, "g", "0", partitions) as sink:
        await sink.publish(messages)


async def learnt(
    root: Path, *, since: datetime | None = None, configs: Sequence[str] = ("c1",)
) -> Verdicts:
    verdicts = Verdicts(RUN, configs)
    await verdicts.learn(FolderGlance(root), TOPICS.scores, since=since)
    return verdicts


async def test_a_live_verdict_is_found_as_it_was_written(tmp_path: Path) -> None:
    event = an_event("aa", bad())
    await write(tmp_path, an_event("bb"), a_tally(0, rows=(0, 9)), event, partitions=3)

    with await learnt(tmp_path) as verdicts:
        assert verdicts.verdict("aa") == event
        assert verdicts.verdict("cc") is None
        assert len(verdicts) == 2


async def test_what_could_not_be_scored_is_a_verdict_and_an_error_is_none(tmp_path: Path) -> None:
    broken = InvalidInput(reason="answer_missing")
    await write(tmp_path, an_event("aa", undecided()), an_event("bb", broken))
    await write(tmp_path, an_event("cc", failed()))

    with await learnt(tmp_path) as verdicts:
        assert verdicts.verdict("aa") is not None
        assert verdicts.verdict("bb") is not None
        assert verdicts.verdict("cc") is None


async def test_what_live_traffic_said_comes_before_any_run_and_then_what_came_first(
    tmp_path: Path,
) -> None:
    runs = (an_event("aa", good(), run="r1"), an_event("bb", bad(), run="r1"))
    later = (an_event("aa", bad()), an_event("aa", good()), an_event("bb", good(), run="r2"))
    await write(tmp_path, *runs, *later)

    with await learnt(tmp_path) as verdicts:
        assert verdicts.verdict("aa") == later[0]
        assert verdicts.verdict("bb") == runs[1]


async def test_a_run_that_judged_what_was_an_error_live_is_believed(tmp_path: Path) -> None:
    await write(tmp_path, an_event("aa", failed()), an_event("aa", good(), run="r1"))

    with await learnt(tmp_path) as verdicts:
        assert verdicts.verdict("aa") == an_event("aa", good(), run="r1")


async def test_neither_its_own_verdicts_nor_those_of_other_judges_are_kept(tmp_path: Path) -> None:
    await write(tmp_path, an_event("aa", run=RUN), an_event("bb"))

    with await learnt(tmp_path, configs=["c1"]) as verdicts:
        assert verdicts.verdict("aa") is None
        assert len(verdicts) == 1
    with await learnt(tmp_path, configs=["c2"]) as verdicts:
        assert len(verdicts) == 0


async def test_verdicts_written_well_before_the_first_row_are_not_looked_at(tmp_path: Path) -> None:
    await write(tmp_path, an_event("aa"), minute=0)
    await write(tmp_path, an_event("bb"), minute=2)

    with await learnt(tmp_path, since=at(61) + BEFORE) as verdicts:
        assert verdicts.verdict("aa") is None
        assert verdicts.verdict("bb") is not None


async def test_what_is_no_event_of_this_version_is_bought(tmp_path: Path) -> None:
    to = letter(an_event("aa"), TOPICS)
    newer = to.value.replace(b"streamgauge.score/1", b"streamgauge.score/2")
    async with FolderSink(tmp_path, TOPICS, lambda: MIDNIGHT, "g", "0") as sink:
        for value in (newer, b"no json", b'{"outcome":7}'):
            sink.writer(TOPICS.scores).append(0, [Entry(to.key, value, 0, to.headers)])

    with await learnt(tmp_path) as verdicts:
        assert verdicts.verdict("aa") is None


async def test_without_a_scores_topic_nothing_is_known(tmp_path: Path) -> None:
    with await learnt(tmp_path) as verdicts:
        assert verdicts.verdict("aa") is None


@pytest.mark.service
def test_a_full_disk_is_told_with_a_way_out() -> None:
    done = subprocess.run([sys.executable, "-m", "tests.streams.replay.full_disk"], check=False)

    assert done.returncode == 0


_EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["aa", "bb", "cc"]),
        st.sampled_from([good(), bad(), undecided(), failed()]),
        st.sampled_from([None, "r1", "r2", RUN]),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(_EVENTS)
def test_whatever_order_they_come_in_the_first_of_the_best_counts(
    said: list[tuple[str, Outcome, str | None]],
) -> None:
    events = [an_event(name, what, run=run, row=n) for n, (name, what, run) in enumerate(said)]
    usable = [e for e in events if e.outcome.status != "error" and e.run != RUN]

    with Verdicts(RUN, ["c1"]) as verdicts:
        verdicts.take([a_record_of(event, n) for n, event in enumerate(events)])

        for name in ("aa", "bb", "cc"):
            all_of_it = [event for event in usable if event.event_id == name]
            live = [event for event in all_of_it if event.run is None]
            assert verdicts.verdict(name) == next(iter(live or all_of_it), None)
