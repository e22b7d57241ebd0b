"""Rows of traced answers in a folder, as a tracing assistant's producer lays them there."""

import json
from pathlib import Path

from tests.streams.telemetry.told import SPAN_ID, TRACE_ID


def lay_rows(path: Path, count: int) -> None:
    """Write so many rows with ids of spans to `data/rag.traces`."""
    topic = path / "data" / "rag.traces"
    topic.mkdir(parents=True)
    rows = [
        {
            "trace_id": f"{int(TRACE_ID, 16) + number:032x}",
            "span_id": SPAN_ID,
            "service": "helpdesk",
            "contexts": ["We open at 10 am on weekdays."],
            "answer": "We open at 10 am on weekdays. [1]",
        }
        for number in range(count)
    ]
    (topic / "0.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
