"""A score half in miniature, with everything that goes wrong: two topics out of three partitions.

Workers die or linger as zombies, commits are lost, rows come twice, late, or from the future, a
partition falls idle, another cannot be read for a while, a release changes the series. Time goes in
steps of some seconds.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from random import Random
from zlib import crc32

from schemas.mark import Mark, PartitionProgress
from schemas.score import Outcome, ScoreEvent
from schemas.tally import Block, ScorerTally, StratumTally, Tally
from tests.streams.watch.records import SCORER, a_mark, a_score, at, bad, failed, good

ASSISTANTS = ("shop/production", "bank/production", "news/production", "library/production")
CHANCES = {"base": 0.5, "down": 1.0}
MINUTE = 60


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the traces topic: when it was written, and when it says it was answered."""

    written: int
    answered: int
    assistant: str
    trace: int
    stratum: str
    draw: float
    series: str
    outcome: Outcome
    release: str

    @property
    def minute(self) -> int:
        """The minute that it counts in: its own, unless that lies far in the future."""
        answered = self.written if self.answered > self.written + 300 else self.answered
        return answered // MINUTE * MINUTE

    @property
    def sampled(self) -> bool:
        """Whether it is judged."""
        return self.draw < CHANCES[self.stratum]


@dataclass(slots=True)
class Worker:
    """What works on one source partition: what it read, finished, tallied and sealed."""

    name: str
    epoch: int
    start: int
    finished_before: frozenset[int]
    began: int
    dies_at: int | None = None
    read: int = 0
    prefix: int = 0
    timed: int = 0
    reached: int = -86_400
    block: int = 0
    ends: list[int] = field(default_factory=list)
    open: dict[int, int] = field(default_factory=dict)
    finished: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.read = self.prefix = self.block = self.start
        self.ends.append(self.start)


@dataclass(frozen=True, slots=True)
class Faults:
    """How often things go wrong."""

    late: float = 0.0
    future: float = 0.02
    repeated: float = 0.03
    kill_every: int = 90


class ScoreHalf:
    """Reads `rows`, writes `scores` and `marks`: lists of messages, one list a partition."""

    def __init__(
        self, seed: int, *, seconds: int, step: int = 2, busy: float = 1.0, faults: Faults
    ) -> None:
        self.seconds, self.step, self.faults = seconds, step, faults
        self.rows: list[list[Row]] = [[], [], []]
        self.scores: list[list[ScoreEvent | Tally]] = [[], []]
        self.marks: list[list[Mark]] = [[], []]
        self._random = Random(seed)
        self._published: set[tuple[int, int]] = set()
        self._commits = [(0, frozenset[int]())] * len(self.rows)
        self._epoch = 0
        self._workers: list[list[Worker]] = [[], [], []]
        self._write_rows(busy)

    def run_until(self, now: int) -> None:
        """Let one step pass."""
        for q, workers in enumerate(self._workers):
            if now < self.seconds and self._random.random() < self.step / self.faults.kill_every:
                self._kill(q, now)
            workers[:] = [w for w in workers if w.dies_at is None or now < w.dies_at]
            if not workers or workers[-1].dies_at is not None:
                workers.append(self._assigned(q, now))
            for worker in workers:
                self._work(q, worker, now)

    def _write_rows(self, busy: float) -> None:
        draw = self._random
        rows: list[tuple[int, int, Row]] = []
        for second in range(0, self.seconds, self.step):
            for _ in range(draw.choice((0, 1, 1, 2)) if draw.random() < busy else 0):
                q = draw.randrange(3)
                if q < 2 or not 0.2 < second / self.seconds < 0.5:
                    rows.append((second, q, self._row(len(rows), second)))
        for written, q, row in list(rows):
            if draw.random() < self.faults.repeated:
                again = draw.randrange(1, 200)
                moved = draw.choice((0, again))
                copy = _at(row, written + again, row.answered + moved)
                rows.append((copy.written, draw.choice((q, 0, 1)), copy))
        for _, q, row in sorted(rows, key=lambda found: found[0]):
            self.rows[q].append(row)

    def _row(self, trace: int, second: int) -> Row:
        draw = self._random
        assistant = draw.choice(ASSISTANTS)
        answered = second - draw.randrange(20)
        answered -= draw.randrange(60, 400) if draw.random() < self.faults.late else 0
        answered += draw.randrange(100, 500) if draw.random() < self.faults.future else 0
        worse = assistant == ASSISTANTS[0] and 0.3 < second / self.seconds < 0.6
        verdict: Outcome = bad() if draw.random() < (0.4 if worse else 0.03) else good()
        return Row(
            written=second,
            answered=answered,
            assistant=assistant,
            trace=trace,
            stratum="down" if draw.random() < 0.1 else "base",
            draw=draw.random(),
            series="s1" if second < 0.55 * self.seconds else "s2",
            outcome=failed() if draw.random() < 0.01 else verdict,
            release="v2" if worse else "v1",
        )

    def _kill(self, q: int, now: int) -> None:
        if self._workers[q]:
            lingers = self._random.choice((0, self._random.randrange(5, 40)))
            self._workers[q][-1].dies_at = now + lingers

    def _assigned(self, q: int, now: int) -> Worker:
        self._epoch += 1
        start, finished = self._commits[q]
        return Worker(f"w{self._epoch}", self._epoch, start, finished, now)

    def _work(self, q: int, worker: Worker, now: int) -> None:
        log = self.rows[q]
        for offset in [o for o, due in worker.open.items() if due <= now]:
            del worker.open[offset]
            self._judge(q, offset)
            worker.finished.add(offset)
        written = len(log) if not self._stalls(q, now) else worker.read
        while worker.read < written and log[worker.read].written <= now and len(worker.open) < 16:
            self._admit(worker, worker.read, log[worker.read], now)
            worker.read += 1
        while worker.prefix in worker.finished:
            worker.prefix += 1
        if worker.read > worker.block and now - worker.began >= 10:
            self._tally(q, worker)
            worker.began = now
        if worker.dies_at is None or self._random.random() < 0.15:
            end = max(e for e in worker.ends if e <= worker.prefix)
            beyond = frozenset(o for o in worker.finished | worker.finished_before if o >= end)
            if self._random.random() < 0.5:
                self._commits[q] = (end, beyond)
        if now % 5 < self.step:
            self._mark(q, worker, now)

    def _stalls(self, q: int, now: int) -> bool:
        """One partition cannot be read for some minutes, while rows are written to it."""
        return q == 1 and 0.4 < now / self.seconds < 0.5

    def _admit(self, worker: Worker, offset: int, row: Row, now: int) -> None:
        if row.sampled and offset not in worker.finished_before:
            slow = self._random.random() < 0.1
            worker.open[offset] = now + self._random.choice((3, 8, 40) if slow else (1, 2))
        else:
            worker.finished.add(offset)

    def _judge(self, q: int, offset: int) -> None:
        """A zombie and its heir may both publish; the tail of the topic keeps most from that."""
        if (q, offset) in self._published and self._random.random() < 0.7:
            return
        self._published.add((q, offset))
        row = self.rows[q][offset]
        answered = row.written if row.answered > row.written + 300 else row.answered
        event = a_score(
            offset,
            answered,
            row.outcome,
            event_id=f"event-{row.trace}",
            assistant=row.assistant,
            series=row.series,
            stratum=row.stratum,
            probability=CHANCES[row.stratum],
            attributes={"prompt_version": row.release},
            partition=q,
        )
        self.scores[_home(row.assistant)].append(event)

    def _tally(self, q: int, worker: Worker) -> None:
        source = Block(
            topic="rag.traces",
            partition=q,
            from_=worker.block,
            to=worker.read,
            epoch=worker.epoch,
        )
        groups: dict[tuple[str, int], list[Row]] = {}
        for row in self.rows[q][worker.block : worker.read]:
            groups.setdefault((row.assistant, row.minute), []).append(row)
        for (assistant, minute), rows in groups.items():
            strata = {name: _counted(rows, name) for name in {row.stratum for row in rows}}
            self.scores[_home(assistant)].append(
                Tally(
                    source=source,
                    assistant=assistant,
                    minute=at(minute),
                    strata=strata,
                    at=at(worker.began),
                )
            )
        worker.block = worker.read
        worker.ends.append(worker.read)

    def _mark(self, q: int, worker: Worker, now: int) -> None:
        log = self.rows[q]
        new = [min(row.answered, row.written) for row in log[worker.timed : worker.prefix]]
        worker.reached, worker.timed = max([worker.reached, *new]), worker.prefix
        standing = PartitionProgress(
            next=worker.prefix,
            end=bisect_right(log, now, key=lambda row: row.written),
            event_time=None if worker.reached < -MINUTE else at(worker.reached),
            epoch=worker.epoch,
        )
        for p, marks in enumerate(self.marks):
            scores = len(self.scores[p])
            marks.append(a_mark(now, {q: standing}, of=3, scores=scores, worker=worker.name))


def _at(row: Row, written: int, answered: int) -> Row:
    return Row(
        written,
        answered,
        row.assistant,
        row.trace,
        row.stratum,
        row.draw,
        row.series,
        row.outcome,
        row.release,
    )


def _home(assistant: str) -> int:
    return crc32(assistant.encode()) % 2


def _counted(rows: list[Row], stratum: str) -> StratumTally:
    own = [row for row in rows if row.stratum == stratum]
    drawn = ScorerTally(probability=CHANCES[stratum], sampled=sum(row.sampled for row in own))
    return StratumTally(seen=len(own), scorers={SCORER: drawn})
