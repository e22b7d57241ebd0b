"""The shop's traces: one question and its answer as each instrumentation wrote them down."""

from collections.abc import Mapping
from pathlib import Path

from schemas.trace import RagTrace
from streams.assemble.otlp_json import spans
from streams.assemble.rows import rows
from streams.assemble.span import Span

TRACES = Path(__file__).parents[2] / "traces"

QUESTION = "How long do I have to return an unopened item, and when is the refund paid?"
ANSWER = (
    "You have 30 days from delivery to return an unopened item [kb-101]. "
    "The refund is paid within 5 business days to the original payment method [kb-102]."
)
PASSAGES: Mapping[str, str] = {
    "kb-101": "The return window for unopened items is 30 days from delivery.",
    "kb-102": "Refunds are paid to the original payment method within 5 business days.",
    "kb-103": "Gift cards cannot be returned or exchanged for cash.",
}


def the_spans(name: str) -> list[Span]:
    """Return the spans of a trace in `tests/traces`."""
    return spans((TRACES / f"{name}.json").read_bytes())


def the_row(name: str) -> RagTrace:
    """Return the one row of a trace in `tests/traces`."""
    [row] = rows(the_spans(name))
    return row


def contexts_of(row: RagTrace) -> dict[str, str] | None:
    """Return a row's passages by their keys, in their order."""
    if row.contexts is None:
        return None
    assert len({passage.key for passage in row.contexts}) == len(row.contexts)
    return {passage.key: passage.text for passage in row.contexts}
