"""What the two encodings of OTLP have in common: what a reader of spans promises and refuses."""

import math
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Literal, Protocol

from streams.assemble.span import Span

SpanEncoding = Literal["otlp_proto", "otlp_json"]
"""What the bytes of a record with spans are."""

SpansFault = Literal["empty", "not_otlp", "no_spans", "bad_id", "bad_value", "too_deep"]
"""Why a record's spans cannot be read."""

Keep = Callable[[str], bool]
"""Says of a trace id (32 lower-case hex digits) whether its spans are wanted."""

MAX_DEPTH = 24
"""Lists and maps inside each other in one attribute: more than people write, and fewer than
the 100 messages within messages at which protobuf itself gives up."""

TRACE_ID_BYTES = 16
SPAN_ID_BYTES = 8
FAILED = 2
"""The status code of a span that failed: STATUS_CODE_ERROR."""


class UnreadableSpansError(ValueError):
    """A record's value is no batch of spans. `detail` names a field and its fault, no content."""

    def __init__(self, code: SpansFault, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


class ExtraMissingError(ImportError):
    """A package is missing that only some installations need. The message names the way out."""


class SpanReader(Protocol):
    """Reads the spans of one record's value, `ExportTraceServiceRequest` or `TracesData`."""

    def __call__(self, value: bytes, keep: Keep = ..., /) -> list[Span]:
        """Return the spans of the wanted traces, in their order. Of the others only ids are read.

        `keep` is asked once for each trace id. Raises UnreadableSpansError, whatever the bytes.
        """
        ...


def module_for(name: str) -> ModuleType:
    """Return a module that needs what may not be installed. Raises ExtraMissingError."""
    try:
        return import_module(f"streams.assemble.{name}")
    except ImportError as missing:
        raise ExtraMissingError(
            "otlp_proto needs a package that is not installed: pip install 'streamgauge[otlp]'"
        ) from missing


def span_reader(encoding: SpanEncoding) -> SpanReader:
    """Return the reader of an encoding. Raises ExtraMissingError."""
    read: SpanReader = module_for(encoding).spans
    return read


def protobuf_is_here() -> bool:
    """Say whether the extra is installed."""
    try:
        return find_spec("opentelemetry.proto") is not None
    except ModuleNotFoundError:
        return False


def every_trace(_: str) -> bool:
    """Want all spans."""
    return True


def finite(number: float) -> float | None:
    """Return a number; None for what is none: no message of ours holds it."""
    return number if math.isfinite(number) else None


def deeper(depth: int) -> int:
    """Return the depth inside a list or map that stands at this depth, from 0. Bounds it."""
    if depth == MAX_DEPTH:
        raise too_deep()
    return depth + 1


def too_deep() -> UnreadableSpansError:
    """Return what is said of an attribute that is nested without end."""
    return UnreadableSpansError("too_deep", f"attributes: more than {MAX_DEPTH} levels deep")


def bad_id(field: str, length: int) -> UnreadableSpansError:
    """Return what is said of an id that is none. `length` in bytes."""
    return UnreadableSpansError("bad_id", f"{field}: not {2 * length} hex digits, or all zeros")
