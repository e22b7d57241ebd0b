"""A log of the watch half's two topics, what live rules say of it, and what backtests do."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

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
from tests.streams.watch.records import SCORER, a_mark, a_score, a_tally, at, bad, good
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


def troubled(root: Path) -> tuple[Log, list[list[ScoreEvent | Tally]]]:
    """Return the log, and the scores by partition, of a score half under faults.

    Workers die and linger, rows come twice, from the future, and out of order.
    """
    log = Log(root, partitions=2)
    half = ScoreHalf(0, seconds=5400, step=10, faults=Faults())
    for now in range(0, half.seconds + 900, half.step):
        half.run_until(now)
        for partition in range(2):
            scores = half.scores[partition][log.scores[partition] :]
            log.write(now, *scores, *half.marks[partition], partition=partition)
            half.marks[partition].clear()
    return log, half.scores


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
