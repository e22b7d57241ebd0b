"""What went wrong at the edge and was put right, or not: counted, and said once in the log."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

import structlog

Incident = Literal[
    "retention_gap",  # rows were deleted before they were read: from, to
    "topic_recreated",  # the topic's id is another: read from its start
    "beyond_end",  # the committed offset lies beyond the log: read from its start
    "commit_unreadable",  # a commit's metadata could not be used, or not all of it
    "commit_failed",  # the group went on without us
    "commit_late",  # a commit was not answered in time, and may still land
    "commits_lost",  # the group does not know of commits any more that it had taken
    "commit_map_dropped",  # the broker takes no metadata of that length
    "recovery_failed",  # a partition could not be taken up yet; it is tried again
    "verdicts_unread",  # the tail of the scores could not be read to its end
    "rebalance_failed",  # a step of a rebalance raised: the process stops
    "batch_unreadable",  # a batch is damaged or in an unknown codec: its partition stands
    "rejections_flood",  # too many rows of a partition are unreadable: it stands
    "frozen",  # the process stood still for a session: it takes everything up anew
    "ghost_removed",  # a dead life of this worker was put out of the group
    "ghost_unremoved",  # that could not be done: the group waits for its session to end
    "producer_replaced",  # a row could not be sent: all that has no answer is sent again
    "send_slow",  # the topics cannot be written
    "mark_skipped",  # the end of the scores topic is not known
    "closed_late",  # a step of the stop took too long, and was left behind
]


@dataclass(slots=True)
class Incidents:
    """Counts incidents by kind, and logs each with its facts (never with a row's content)."""

    counts: Counter[Incident] = field(default_factory=Counter)

    def note(self, kind: Incident, **facts: object) -> None:
        """Count and log one incident."""
        self.counts[kind] += 1
        structlog.get_logger().warning(kind, **facts)
