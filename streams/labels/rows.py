"""From a pick and its row to the line that a person fills in. The judge's words are not in it."""

from collections.abc import Mapping

from schemas.label import LabelRow, seal
from schemas.trace import RagTrace
from streams.labels.picking import Pick

ASKS: Mapping[str, str] = {
    "faithfulness": "Does the evidence support every claim of the answer?",
    "faithfulness_binary": "Does the evidence support every claim of the answer?",
    "citation_accuracy": "Is each cited source there, and does it support what cites it?",
    "factual_consistency": "Would you trust the assistant to say the same when asked otherwise?",
    "factual_accuracy": "Does the answer say what the reference says?",
}
"""What is asked of a person, by scorer: good if yes, bad if no."""


def label_row(pick: Pick, trace: RagTrace, asks: Mapping[str, str], *, blind: bool) -> LabelRow:
    """Return the line of a pick. `asks` are the questions of scorers that are not our own."""
    scorer = pick.event.scorer.name
    return LabelRow(
        scorer=scorer,
        asks=asks.get(scorer) or ASKS.get(scorer) or f"Is the answer good, by {scorer}?",
        question=trace.question,
        history=trace.history,
        evidence=trace.contexts,
        tool_results=trace.tool_results,
        citations=trace.citations,
        reference=trace.reference,
        answer=trace.answer,
        trace_id=trace.trace_id,
        event_id=pick.event.event_id,
        verdict=None if blind else pick.verdict,
        sealed=seal(pick.verdict),
    )


def line(row: LabelRow) -> str:
    """Return a row as one line: what is not there is left out, but for the fields to fill in."""
    empty = {"label", "note"}
    absent = {name for name, value in row if value is None and name not in empty}
    return row.model_dump_json(exclude=absent, by_alias=True) + "\n"
