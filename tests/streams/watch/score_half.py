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
from schemas.score import ScoreEvent
from schemas.tally import Block, ScorerTally, StratumTally, Tally
from tests.streams.watch.played_rows import CHANCES, MINUTE, Faults, Row, Writers
from tests.streams.watch.records import SCORER, a_mark, a_score, at


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


class ScoreHalf:
    """Reads `rows`, writes `scores` and `marks`: lists of messages, one list a partition."""

    def __init__(
        self, seed: int, *, seconds: int, step: int = 2, busy: float = 1.0, faults: Faults
    ) -> None:
        self.seconds, self.step, self.faults = seconds, step, faults
        self.scores: list[list[ScoreEvent | Tally]] = [[], []]
        self.marks: list[list[Mark]] = [[], []]
        self._random = Random(seed)
        self.rows = Writers(self._random, seconds, step, faults).rows(busy)
        self._published: set[tuple[int, int]] = set()
        self._commits = [(0, frozenset[int]())] * len(self.rows)
        self._epoch = 0
        self._workers: list[list[Worker]] = [[], [], []]

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


def _home(assistant: str) -> int:
    return crc32(assistant.encode()) % 2


def _counted(rows: list[Row], stratum: str) -> StratumTally:
    own = [row for row in rows if row.stratum == stratum]
    drawn = ScorerTally(probability=CHANCES[stratum], sampled=sum(row.sampled for row in own))
    return StratumTally(seen=len(own), scorers={SCORER: drawn})
