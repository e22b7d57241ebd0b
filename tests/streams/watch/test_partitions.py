"""The folds of a process, told of records as a log holds them."""

from schemas.mark import Mark
from schemas.wire import to_milliseconds
from streams.ports import Record
from streams.watch.options import Options
from streams.watch.partitions import Watches
from tests.streams.watch.records import a_mark, at


def ignored(record: Record, fault: str) -> None:
    """Hear of a record that is no message of ours."""


def record(mark: Mark, *, written: float) -> Record:
    return Record(
        topic="rag.marks",
        partition=0,
        offset=0,
        key=None,
        value=mark.to_json(),
        headers=(),
        timestamp=to_milliseconds(at(written)),
    )


def test_no_worker_moves_time_past_what_the_log_says_of_its_marks() -> None:
    watches = Watches(Options(), "rag.scores", ignored)

    watches.fold(record(a_mark(90_000), written=600))

    assert watches.of(0).watermark == at(540)
