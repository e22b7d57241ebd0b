"""What `check` looks at before anything runs: topics, a sample of the rows, and the judge."""

import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from itertools import islice
from pathlib import Path

from schemas.rejection import Rejection
from schemas.trace import RagTrace
from scorers.contract import Judgement, JudgeUnavailableError
from scorers.questions import Evidence, Question, VerifyClaims
from streams.address import Topics
from streams.console.show import Line
from streams.folder.topic import partition_files, read
from streams.intake.decode import Intake
from streams.scoring.panel import Seat

SAMPLE = 200
"""How many rows are looked at."""

_FIELDS = ("question", "contexts", "answer", "citations", "reference")
_CLAIM = "The desk opens at nine."
_PASSAGE = Evidence("1", "The desk opens at nine on weekdays.")


async def checks(
    root: Path, topics: Topics, intake: Intake, panel: Mapping[str, Seat]
) -> AsyncIterator[Line]:
    """Yield what was found; a line with the tone `bad` says what is wrong and what to do."""
    yield Line("settings: no problem found", tone="good")
    for line in _topics(root, topics):
        yield line
    for line in _rows(root, topics, intake):
        yield line
    for name, seat in panel.items():
        yield Line(f"scorer {name}: judge {seat.judge.identity.name}, config {seat.config_hash}")
    for seat in list(panel.values())[:1]:
        yield await _judge(seat)


def _topics(root: Path, topics: Topics) -> Iterator[Line]:
    if not partition_files(root / topics.traces):
        how = f"put a file of JSON rows there: {topics.traces}/0.jsonl"
        yield Line(f"topic {topics.traces}: missing in {root}; {how}", tone="bad")
    for name in (topics.traces, topics.scores, topics.marks, topics.windows, topics.alerts):
        files = partition_files(root / name)
        if files:
            size = sum(file.stat().st_size for file in files.values())
            yield Line(f"topic {name}: {len(files)} partition(s), {size:,} bytes", tone="good")


def _rows(root: Path, topics: Topics, intake: Intake) -> Iterator[Line]:
    rows = [intake.decode(record) for record in islice(read(root, topics.traces), SAMPLE)]
    if not rows:
        return
    traces = [row for row in rows if isinstance(row, RagTrace)]
    yield Line(f"rows: {len(traces)} of the first {len(rows)} can be read", tone="good")
    for name in _FIELDS:
        having = sum(getattr(trace, name) is not None for trace in traces)
        yield Line(f"{name}: {having} of {len(traces)}", depth=1)
    reasons = Counter(row.reason for row in rows if isinstance(row, Rejection))
    for reason, count in reasons.most_common():
        yield Line(f"{count} rejected: {reason} (docs/messages.md)", depth=1, tone="bad")


async def _judge(seat: Seat) -> Line:
    """Ask one question of our own, and say how long the answer took."""

    def read_nothing(reply: object) -> tuple[Judgement, ...]:
        return ()

    about = VerifyClaims((_CLAIM,), (_PASSAGE,))
    name, began = seat.judge.identity.name, time.perf_counter()
    try:
        answer = await seat.judge.ask(Question(about, read_nothing, "check"))
    except JudgeUnavailableError as error:
        return Line(f"judge {name}: {error}", tone="bad")
    took = (time.perf_counter() - began) * 1000
    spoke = f" as {answer.resolved}" if answer.resolved else ""
    return Line(f"judge {name}: answered{spoke} in {took:.1f} ms", tone="good")
