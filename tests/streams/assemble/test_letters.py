"""What becomes of a closed trace, and what is counted where nothing does."""

from streams.assemble.closing import Closed
from streams.assemble.letters import RowLetters
from streams.assemble.places import RecordRef
from streams.assemble.rows import rows
from streams.ports import Record
from tests.streams.assemble.spans import a_whole_trace


def test_a_trace_in_which_nobody_answered_is_counted_though_there_is_no_row_to_write() -> None:
    letters = RowLetters(rows, "rag.traces")
    spans = tuple(a_whole_trace(0, 3))
    closed = Closed(spans[0].trace_id, spans, RecordRef(0, 7), "quiet", rooted=True)

    written = list(letters.of(closed, Record("otlp_spans", 0, 7, None, None, 0)))

    assert (written, letters.counts) == ([], {"nobody_answered": 1})
