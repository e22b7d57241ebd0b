"""What a log says of the past: where a time begins in it, and what was published of a row."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from schemas.wire import to_milliseconds
from streams.address import published_row
from streams.folder.log import LogReader
from streams.folder.topic import TopicPartition, partition_files, plain_name, records_between
from streams.ports import Record
from streams.subscription import Start

Published = Mapping[int, frozenset[str]]
"""By offset of a source row: the event ids that the scores topic has for it."""


def start_offset(log: LogReader, start: Start, place: TopicPartition) -> int:
    """Return the offset at which a start policy begins; that of a time is its first row not older.

    Where every row is older, it is the log's end.
    """
    if start == "earliest":
        return 0
    if start == "latest":
        return log.end
    at = to_milliseconds(start)
    rows = records_between(log, 0, log.end, place)
    return next((row.offset for row in rows if row.timestamp >= at), log.end)


def published_since(
    root: Path, scores: str, *, since: int, topic: str, mode: bytes
) -> dict[int, Published]:
    """Return what the scores topic has of a source topic's rows, by partition.

    Only events of that mode count. The log is read from its end backwards, by pieces, to the first
    piece that begins before `since` (milliseconds since 1970).
    """
    found: defaultdict[int, defaultdict[int, set[str]]]
    found = defaultdict(lambda: defaultdict(set))
    for number, file in partition_files(root / plain_name(scores)).items():
        for row in _tail(LogReader(file), since, TopicPartition(scores, number)):
            if named := published_row(row.headers, topic=topic, wanted=mode):
                partition, offset, event_id = named
                found[partition][offset].add(event_id)
    return {
        partition: {offset: frozenset(ids) for offset, ids in rows.items()}
        for partition, rows in found.items()
    }


def _tail(log: LogReader, since: int, place: TopicPartition) -> Iterator[Record]:
    log.grow_all()
    for begin, end in log.stretches():
        rows = list(records_between(log, begin, end, place))
        yield from rows
        if rows and rows[0].timestamp < since:
            return
