"""Records that mix traces, cut up by trace: each part is then keyed, and goes where its trace goes.

spans topic -> read -> a record of each trace, in the same encoding -> streamgauge.assemble.spans
"""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from schemas.rejection import Rejection
from streams.address import Letter
from streams.assemble.otlp import (
    Keep,
    SpanEncoding,
    SpanReader,
    UnreadableSpansError,
    module_for,
)
from streams.assemble.stage import Post
from streams.ports import Clock, Record, Source

Split = Callable[[bytes, Container[str]], Mapping[str, bytes]]
"""From a record's value that was found readable to a value for each of its wanted traces.

Raises UnreadableSpansError for one that cannot be cut up all the same."""


@dataclass(frozen=True, slots=True)
class Splitting:
    """A `Half`: writes the wanted parts of each record to the topic `to`, keyed by their trace.

    A part may be written twice, after a crash: its spans are then there twice, and count once.
    """

    source: Source
    post: Post
    read: SpanReader
    split: Split
    keep: Keep
    to: str
    clock: Clock
    due: bool = field(default=False, init=False)

    def admit(self, batch: Sequence[Record]) -> list[tuple[Record, list[Letter] | Rejection]]:
        """Cut up a batch of one partition."""
        work = [
            (record, parts)
            for record in batch
            if record.value and not record.finished and (parts := self._parts(record))
        ]
        last = batch[-1]
        self.source.seal(last.partition, to=last.offset + 1, epoch=last.epoch)
        return work

    def _parts(self, record: Record) -> list[Letter] | Rejection:
        value = record.value or b""
        try:
            wanted = {span.trace_id for span in self.read(value, self.keep)}
            parts = self.split(value, wanted) if wanted else {}
        except UnreadableSpansError as error:
            return Rejection(error.code, error.detail)
        return [
            Letter(self.to, key, key, part, record.headers)
            for key, part in ((trace_id.encode(), part) for trace_id, part in parts.items())
        ]

    async def finish(self, record: Record, work: list[Letter] | Rejection) -> None:
        """Write the parts, or set the record aside."""
        if isinstance(work, Rejection):
            await self.post.reject(record, work, at=self.clock())
            return
        too_large = [part for part in work if not await self.post.fits(part)]
        await self.post.send([part for part in work if part not in too_large])
        for part in too_large:
            rejection = Rejection("row_too_large", f"{len(part.value)} bytes of one trace")
            await self.post.reject(record._replace(key=part.key), rejection, at=self.clock())

    async def settle(self, now: datetime, *, everything: bool = False) -> None:
        """Nothing is held back."""

    async def beat(self, now: datetime) -> None:
        """Time makes nothing due."""


def splitter(encoding: SpanEncoding) -> Split:
    """Return what cuts up records of an encoding. Raises ExtraMissingError."""
    split: Split = module_for(f"split_{encoding}").split
    return split
