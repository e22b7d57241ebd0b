"""A good row and a bad one, as a user writes them."""

import json
from collections.abc import Mapping

GOOD = {
    "trace_id": "t-good",
    "service": "helpdesk",
    "question": "When do you open?",
    "contexts": ["We open at 10 am on weekdays, and on Sundays at 11 am."],
    "answer": "We open at 10 am on weekdays. [1]",
}


BAD = GOOD | {"trace_id": "t-bad", "answer": "We open at 7 am on weekdays. [1]"}


def rows(*traces: Mapping[str, object]) -> str:
    return "".join(json.dumps(trace) + "\n" for trace in traces)
