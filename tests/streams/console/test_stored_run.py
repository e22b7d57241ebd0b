"""A replay's run asked in the time of its rows."""

from pathlib import Path
from random import Random

import pytest

from tests.streams.console.stored_log import HOUR, STEP, Log, every, never, steps, tested, troubled
from tests.streams.watch.records import a_mark, a_score, a_tally, a_tick, at, good

NIGHT = 30 * HOUR
"""When the runs are judged."""


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path)


async def test_a_run_that_judged_hours_in_minutes_is_asked_in_the_time_of_its_rows(
    log: Log,
) -> None:
    """Two partitions' rows lie behind one another, the latest first; its marks are of the night."""
    log.rows(0, HOUR, never)
    log.rows(HOUR, 2 * HOUR, every(3))
    log.rows(2 * HOUR, 3 * HOUR, never)
    for rows in (range(HOUR // STEP, 3 * HOUR // STEP), range(HOUR // STEP)):
        for row in rows:
            second, outcome = row * STEP, every(3)(row) if 120 <= row < 240 else good()
            tally = a_tally(second - second % 60, rows=(row, row + 1), run="r")
            log.write(NIGHT, a_score(row, second, outcome, run="r"), tally)
        log.write(NIGHT + 5, a_mark(NIGHT + 5, scores=log.scores[0], run="r"))
    log.write(NIGHT + 6, a_mark(NIGHT + 6, scores=log.scores[0], run="r", done=True))

    heard = await tested(log, run="r")

    told = await tested(log)
    assert heard.alerts == [one for one in told.alerts if one.rule == "bad-answers"]
    assert [status for _, status, _ in steps(heard.alerts)] == ["firing", "resolved"]
    assert (heard.start, heard.end) == (at(0), at(3 * HOUR + 60))
    assert heard.made_until is None


async def test_silence_in_a_run_is_silence_and_what_follows_its_last_row_is_not(log: Log) -> None:
    log.rows(0, HOUR, never, run="r", marks=False)
    log.rows(2 * HOUR, 3 * HOUR, never, run="r", marks=False)
    log.write(9 * HOUR, a_mark(9 * HOUR, scores=log.scores[0], run="r", done=True))
    log.write(9 * HOUR, a_tick(9 * HOUR))

    heard = await tested(log, run="r")

    assert steps(heard.alerts) == [("silence", "firing", 75.0), ("silence", "resolved", 121.0)]


async def test_an_assistant_is_silent_in_a_run_while_one_in_another_partition_is_not(
    tmp_path: Path,
) -> None:
    log = Log(tmp_path, partitions=2)
    for row in range(2 * HOUR // STEP):
        second = row * STEP
        log.write(0, a_score(row, second, run="r", assistant="bank/production"), partition=1)
        if second < HOUR:
            log.write(0, a_score(row, second, run="r"))

    heard = await tested(log, run="r")

    assert steps(heard.alerts) == [("silence", "firing", 75.0)]


async def test_rows_of_a_wrong_date_are_left_out_of_a_run(log: Log) -> None:
    years = 40_000 * HOUR
    log.rows(0, 60, never, run="r", marks=False)
    log.rows(years, years + HOUR, every(2), run="r", marks=False)

    heard = await tested(log, run="r")

    assert heard.start == at(years)
    assert [one[:2] for one in steps(heard.alerts)] == [("bad-answers", "firing")]


async def test_a_run_says_what_live_said_though_it_was_written_in_another_order(
    tmp_path: Path,
) -> None:
    """Under the faults of the score half, too: workers that die, rows that come twice."""
    log, scores = troubled(tmp_path)
    for partition, written in enumerate(scores):
        replayed = [one.model_copy(update={"run": "r"}) for one in written]
        Random(3).shuffle(replayed)
        log.write(NIGHT, *replayed, partition=partition)

    heard = await tested(log, run="r")

    assert heard.end is not None
    told = [one for one in (await tested(log)).alerts if one.evaluated_at < heard.end]
    assert [one[:2] for one in steps(told)].count(("bad-answers", "firing")) > 1
    assert sorted(map(str, heard.alerts)) == sorted(map(str, told))
