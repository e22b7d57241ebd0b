"""Rules asked again of what is stored: they say what they said, marks or no marks."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from schemas.alert import Alert
from schemas.mark import Mark, Tick
from schemas.score import Outcome, ScoreEvent
from schemas.tally import Tally
from schemas.wire import to_milliseconds
from streams.address import Topics
from streams.console.backtest import Heard, ask
from streams.console.stored import Stored
from streams.console.stored_run import StoredRun
from streams.folder.follower import follow
from streams.folder.glance import FolderGlance
from streams.folder.interleaving import Interleaving
from streams.folder.writer import Entry, TopicWriter
from streams.ports import Record
from streams.watch.options import Options
from streams.watch.partitions import Watches
from streams.watch.rules.blind import BlindRule
from streams.watch.rules.threshold import ThresholdRule
from streams.watch.rules.traffic import TrafficRule
from tests.streams.watch.played_rows import Faults
from tests.streams.watch.records import SCORER, a_mark, a_score, a_tally, a_tick, at, bad, good
from tests.streams.watch.score_half import ScoreHalf

TOPICS = Topics()
RULES = (
    ThresholdRule(
        name="bad-answers",
        kind="threshold",
        scorer=SCORER,
        above=0.1,
        window=timedelta(minutes=15),
        min_n=10,
    ),
    BlindRule(name="blind", kind="blind"),
    TrafficRule(name="silence", kind="traffic"),
)
OPTIONS = Options(rules=RULES)
HOUR, STEP = 3600, 30

Message = ScoreEvent | Tally | Mark | Tick


def unreadable(record: Record, fault: str) -> None:
    raise AssertionError(fault)


class Log:
    """The watch half's two topics, as time passes; written when they are read."""

    def __init__(self, root: Path, *, partitions: int = 1) -> None:
        self.root = root
        self.scores = [0] * partitions
        self._entries: dict[tuple[str, int], list[Entry]] = {}

    def write(self, second: float, *messages: Message, partition: int = 0) -> None:
        for message in messages:
            told = isinstance(message, Mark | Tick)
            self.scores[partition] += not told
            entry = Entry(b"k", message.to_json(), to_milliseconds(at(second)))
            topic = TOPICS.marks if told else TOPICS.scores
            self._entries.setdefault((topic, partition), []).append(entry)

    def rows(
        self,
        start: int,
        end: int,
        outcome: Callable[[int], Outcome],
        *,
        marks: bool = True,
        run: str | None = None,
    ) -> None:
        """Write a row every half a minute, with a mark after each."""
        for second in range(start, end, STEP):
            row = second // STEP
            tally = a_tally(second - second % 60, rows=(row, row + 1), run=run)
            self.write(second + 3, a_score(row, second, outcome(row), run=run), tally)
            if marks:
                self.write(second + 5, a_mark(second + 5, scores=self.scores[0], run=run))

    def close(self) -> None:
        """Write what is not there yet."""
        for (topic, partition), entries in self._entries.items():
            writer = TopicWriter.open(self.root, topic, partitions=len(self.scores))
            writer.append(partition, entries)
            writer.close()
        self._entries.clear()


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path)


def every(n: int) -> Callable[[int], Outcome]:
    return lambda row: bad() if row % n == 0 else good()


def never(_: int) -> Outcome:
    return good()


async def tested(log: Log, *, run: str | None = None, to: float | None = None) -> Heard:
    log.close()
    look, end = FolderGlance(log.root), None if to is None else at(to)
    if run is None:
        stored = Stored(look, TOPICS, timedelta(minutes=5), unreadable)
        return await ask(stored, lambda _: OPTIONS, to=end)
    with StoredRun(run, unreadable) as replayed:
        await replayed.take_in(look, TOPICS.scores)
        return await ask(replayed, lambda _: OPTIONS, to=end)


async def live(root: Path) -> list[Alert]:
    """Return what a watch half that reads the topics as they were written says."""
    names = (TOPICS.scores, TOPICS.marks)
    source = follow(root, names, end_at_end=True, allowed=Interleaving(*names))
    watches = Watches(OPTIONS, TOPICS.scores, unreadable)
    said: list[Alert] = []
    async for batch in source.batches():
        for record in batch:
            said += [one for one in watches.fold(record) if isinstance(one, Alert)]
        source.passed(batch)
    return sorted(said, key=lambda alert: alert.evaluated_at)


def steps(alerts: Sequence[Alert]) -> list[tuple[str, str, float]]:
    """Return rule, status and minute of each."""
    minute = timedelta(minutes=1)
    return [(one.rule, one.status, (one.evaluated_at - at(0)) / minute) for one in alerts]


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


async def test_a_run_that_judged_hours_in_minutes_is_asked_in_the_time_of_its_rows(
    log: Log,
) -> None:
    """Two partitions' rows lie behind one another, the latest first; its marks are of the night."""
    night = 30 * HOUR
    log.rows(0, HOUR, never)
    log.rows(HOUR, 2 * HOUR, every(3))
    log.rows(2 * HOUR, 3 * HOUR, never)
    for rows in (range(HOUR // STEP, 3 * HOUR // STEP), range(HOUR // STEP)):
        for row in rows:
            second, outcome = row * STEP, every(3)(row) if 120 <= row < 240 else good()
            tally = a_tally(second - second % 60, rows=(row, row + 1), run="r")
            log.write(night, a_score(row, second, outcome, run="r"), tally)
        log.write(night + 5, a_mark(night + 5, scores=log.scores[0], run="r"))
    log.write(night + 6, a_mark(night + 6, scores=log.scores[0], run="r", done=True))

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
    """Workers die and linger, rows come twice, from the future, and out of order."""
    log = Log(tmp_path, partitions=2)
    half = ScoreHalf(0, seconds=5400, step=10, faults=Faults())
    for now in range(0, half.seconds + 900, half.step):
        half.run_until(now)
        for partition in range(2):
            scores = half.scores[partition][log.scores[partition] :]
            log.write(now, *scores, *half.marks[partition], partition=partition)
            half.marks[partition].clear()

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
