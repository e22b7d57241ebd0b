"""Whether the records of a topic are keyed by their trace, and what that saves. Pure.

Spans of one trace must all come to one worker. With one reader of everything they do; in a group,
only the key can see to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from streams.assemble.otlp import Keep, every_trace
from streams.assemble.span import Span
from streams.ports import Record

LOOK_AT_ONE_IN = 64
"""Of the records that are passed over by their key, one in so many is read to check the key."""

_HEX_DIGITS = 32


class NotKeyedError(Exception):
    """A record is not keyed by its one trace, though the settings say so."""


@dataclass(slots=True)
class KeyCheck:
    """Where it is `strict`, each record has the hex id of its one trace as its key."""

    keep: Keep
    strict: bool = False
    _passed_over: int = 0

    def wanted(self, record: Record) -> Keep | None:
        """Return which traces are to be read of a record, None where none of it is wanted.

        By the key, that costs one hash.
        """
        key = record.key
        if not self.strict or key is None or len(key) != _HEX_DIGITS:
            return self.keep
        if self.keep(_text(key)):
            return self.keep
        self._passed_over += 1
        return every_trace if self._passed_over % LOOK_AT_ONE_IN == 1 else None

    def checked(self, record: Record, spans: Sequence[Span]) -> list[Span]:
        """Return the wanted ones of what was read. Raises NotKeyedError where the key is wrong."""
        key = _text(record.key or b"")
        if self.strict and any(span.trace_id != key for span in spans):
            raise NotKeyedError(
                f"assemble.by_trace: record {record.partition}/{record.offset} of {record.topic} "
                "is not keyed by its one trace: write false"
            )
        return list(spans) if not self.strict or self.keep(key) else []


def _text(key: bytes) -> str:
    return key.decode(errors="replace").lower()
