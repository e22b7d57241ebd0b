"""Rows as letters to the traces topic: which are worth writing, and how they are known again."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from schemas.trace import RagTrace
from streams.address import EVENT_ID, MODE, ORIGIN, Letter, mode, origin
from streams.assemble.closing import Closed
from streams.assemble.rows import MakeRows
from streams.ports import Record

CLOSED_EARLY = "closed_early"
"""The attribute of a row that may lack something: why its trace was not waited for."""

_ROW_ID = re.compile(r"([0-9a-f]{32})/")


@dataclass(slots=True)
class RowLetters:
    """Makes letters to the topic `to` of what `rows` makes of a trace.

    A letter's headers name the first record of its trace and the row, as those of a score do: a
    reader of spans that comes later finds in them what was written of its records. Key and value
    depend on the spans alone. `counts`: rows that are not written, by why, and traces without
    any; `dialects`: those that are; `missing`: what they lack, by dialect and field.
    """

    rows: MakeRows
    to: str
    counts: Counter[str] = field(default_factory=Counter)
    dialects: Counter[str] = field(default_factory=Counter)
    missing: Counter[tuple[str, str]] = field(default_factory=Counter)
    _known: set[str] = field(default_factory=set)

    def know(self, row_ids: Iterable[str]) -> None:
        """Note the rows that an earlier life wrote, of traces that come again."""
        self._known.update(row_ids)

    def of(self, closed: Closed, record: Record) -> Iterator[Letter]:
        """Yield the rows of a trace. `record` is one of its first record's partition."""
        first = closed.first
        headers = (
            (ORIGIN, origin(record.topic, first.partition, first.offset, record.timestamp)),
            (MODE, mode(None)),
        )
        found = self.rows(closed.spans)
        if not found:
            self.counts["nobody_answered"] += 1
        for row in found:
            row_id = f"{row.trace_id}/{row.root_span_id or row.span_id or ''}"
            if row_id in self._known:
                self._known.discard(row_id)
                self.counts["written_before"] += 1
            elif not _says_enough(row, closed):
                self.counts["says_too_little"] += 1
            else:
                self._count(row)
                key, value = row.trace_id.encode(), _marked(row, closed).to_json()
                yield Letter(self.to, key, key, value, (*headers, (EVENT_ID, row_id.encode())))

    def _count(self, row: RagTrace) -> None:
        dialect = row.dialect or "unknown"
        self.dialects[dialect] += 1
        self.missing.update((dialect, name) for name in row.missing)


def traces_of(row_ids: Iterable[str]) -> list[str]:
    """Return the traces of rows by the ids in their headers. What is none of ours is left out."""
    return [found[1] for row_id in row_ids if (found := _ROW_ID.match(row_id))]


def _says_enough(row: RagTrace, closed: Closed) -> bool:
    """Say whether a row is worth writing: of a trace cut short only one with all three parts.

    Of a trace that lacks its root, one with an answer.
    """
    if closed.cut_short:
        return None not in (row.question, row.contexts, row.answer)
    return closed.rooted or row.answer is not None


def _marked(row: RagTrace, closed: Closed) -> RagTrace:
    if not closed.cut_short:
        return row
    return row.model_copy(update={"attributes": row.attributes | {CLOSED_EARLY: closed.why}})
