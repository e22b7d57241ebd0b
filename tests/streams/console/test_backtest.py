"""Rules asked again of what is stored: they say what they said, marks or no marks."""

from datetime import timedelta
from pathlib import Path

import pytest

from streams.console.backtest import Heard, ask
from streams.console.stored import Stored
from streams.folder.glance import FolderGlance
from tests.streams.console.stored_log import (
    HOUR,
    OPTIONS,
    STEP,
    TOPICS,
    Log,
    every,
    live,
    never,
    steps,
    tested,
    troubled,
    unreadable,
)
from tests.streams.watch.records import a_tick, at


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path)


async def test_the_live_rules_say_again_what_they_said(log: Log) -> None:
    log.rows(0, HOUR, never)
    log.rows(HOUR, 2 * HOUR, every(3))
    log.rows(2 * HOUR, 3 * HOUR, never)

    heard = await tested(log)

    assert heard.alerts == await live(log.root)
    assert [status for _, status, _ in steps(heard.alerts)] == ["firing", "resolved"]
    assert heard.made_until is None
    assert heard.scores == 3 * HOUR / STEP


async def test_without_marks_they_say_the_same(log: Log, tmp_path: Path) -> None:
    log.rows(0, HOUR, never)
    log.rows(HOUR, 2 * HOUR, every(3))
    log.rows(2 * HOUR, 3 * HOUR, never)
    told = await tested(log)
    (tmp_path / TOPICS.marks / "0.jsonl").write_text("")

    heard = await tested(log)

    assert heard.alerts == told.alerts
    assert heard.made_until is not None
    assert heard.made_until > at(3 * HOUR - 120)


async def test_where_only_the_last_marks_are_left_time_goes_on_by_them(log: Log) -> None:
    log.rows(0, HOUR, never, marks=False)
    log.rows(HOUR, 2 * HOUR, every(3), marks=False)
    log.rows(3 * HOUR, 4 * HOUR, never)

    heard = await tested(log)

    assert steps(heard.alerts)[0][:2] == ("bad-answers", "firing")
    assert ("silence", "firing", 135.0) in steps(heard.alerts)
    assert ("silence", "resolved", 181.0) in steps(heard.alerts)
    assert "blind" not in {rule for rule, _, _ in steps(heard.alerts)}
    assert heard.made_until is not None
    assert heard.made_until < at(3 * HOUR)


async def test_a_silent_day_without_marks_is_silence_and_not_blindness(log: Log) -> None:
    log.rows(0, HOUR, never, marks=False)
    log.rows(24 * HOUR, 25 * HOUR, never, marks=False)

    heard = await tested(log)

    assert steps(heard.alerts) == [
        ("silence", "firing", 75.0),
        ("silence", "resolved", 24 * 60 + 1.0),
    ]


async def test_a_score_half_that_stood_still_is_told_of_where_marks_are_kept(log: Log) -> None:
    log.rows(0, HOUR, never)
    log.rows(2 * HOUR, 3 * HOUR, never)

    heard = await tested(log)

    assert heard.alerts == await live(log.root)
    assert ("blind", "firing") in [one[:2] for one in steps(heard.alerts)]


async def test_ticks_count_for_what_they_say(log: Log) -> None:
    log.rows(0, HOUR, never)
    log.write(HOUR + 600, a_tick(HOUR + 600))

    heard = await tested(log)

    assert [one[:2] for one in steps(heard.alerts)] == [("blind", "firing")]


async def test_a_replay_never_counts_unless_it_is_asked_for(log: Log) -> None:
    log.rows(0, HOUR, never)
    log.rows(HOUR, 2 * HOUR, every(2), run="r1")

    counted = await tested(log)
    replayed = await tested(log, run="r1")

    assert (counted.alerts, counted.scores) == ([], HOUR / STEP)
    assert [one[:2] for one in steps(replayed.alerts)] == [("bad-answers", "firing")]
    assert replayed.scores == HOUR / STEP


async def test_what_comes_after_an_end_is_not_known(log: Log) -> None:
    log.rows(0, HOUR, never)
    log.rows(HOUR, 2 * HOUR, every(3))
    log.rows(2 * HOUR, 6 * HOUR, never)

    heard = await tested(log, to=1.5 * HOUR)

    assert [status for _, status, _ in steps(heard.alerts)] == ["firing"]
    assert heard.scores < 2 * HOUR / STEP


async def test_that_time_was_made_is_told_of_an_earlier_end_too(log: Log) -> None:
    log.rows(0, 2 * HOUR, never, marks=False)
    log.rows(2 * HOUR, 3 * HOUR, never)

    heard = await tested(log, to=0.5 * HOUR)

    assert heard.made_until is not None
    assert heard.scores < HOUR / STEP


async def test_topics_that_are_not_there_say_nothing(tmp_path: Path) -> None:
    stored = Stored(FolderGlance(tmp_path), TOPICS, timedelta(minutes=5), unreadable)

    heard = await ask(stored, lambda _: OPTIONS, to=None)

    assert heard == Heard()


async def test_so_it_is_under_faults_of_the_score_half(tmp_path: Path) -> None:
    log, _ = troubled(tmp_path)

    told = await tested(log)
    said_live = await live(tmp_path)
    for partition in range(2):
        (tmp_path / TOPICS.marks / f"{partition}.jsonl").write_text("")
    made = await tested(log)

    assert sorted(map(str, told.alerts)) == sorted(map(str, said_live))
    assert ("bad-answers", "firing") in [one[:2] for one in steps(told.alerts)]
    end = made.end
    assert end is not None
    before = [one for one in told.alerts if one.evaluated_at < end - timedelta(minutes=1)]
    assert steps(made.alerts) == steps(before)
