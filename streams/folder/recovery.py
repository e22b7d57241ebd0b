"""Taking partitions over where the commits of earlier lives left them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import structlog

from streams.address import mode
from streams.commits import Resumption, resume
from streams.folder.groups import Group
from streams.folder.history import Start, published_since, start_offset
from streams.folder.log import MAX_LINE, LogReader
from streams.folder.owned import Owned
from streams.folder.sightings import Sightings
from streams.folder.topic import TopicPartition
from streams.tracker import Tracker

MARGIN = timedelta(minutes=5)
"""How long before its last commit a row may have been published in part: above any row deadline."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What is read, for whom, and where a group without a commit begins.

    `scores` is the topic that is searched for what earlier lives published, `run` names a replay.
    `end_at_end`: the reading ends at what is there when it begins. A longer line than `max_line`
    bytes is cut there, so that its decoder can refuse it by its length.
    """

    root: Path
    topic: str = "rag.traces"
    group: str = "streamgauge"
    start: Start = "earliest"
    scores: str = "rag.scores"
    run: str | None = None
    end_at_end: bool = False
    max_line: int = MAX_LINE


def recover(
    reading: Reading, group: Group, files: Mapping[int, Path], *, topic_id: str
) -> dict[int, Owned]:
    """Return the partitions as they are to be read on, with what is already done of their rows.

    A commit that cannot be trusted is told, and the start policy takes its place.
    """
    owned = {}
    for number, file in files.items():
        reader = LogReader(file, reading.max_line)
        reader.grow_all()
        found = _resumption(reading, group, number, topic_id=topic_id, end=reader.end)
        place = TopicPartition(reading.topic, number, topic_id, group.epoch)
        owned[number] = _owned(reading, place, reader, found)
        if found.offset is not None:
            told = group.commits(reading.topic)[number].seen
            owned[number].sightings = Sightings(list(told))
    _find_published(reading, owned)
    return owned


def _resumption(
    reading: Reading, group: Group, number: int, *, topic_id: str, end: int
) -> Resumption:
    commit = group.commits(reading.topic).get(number)
    if commit is None:
        return Resumption(None)
    found = resume(commit.offset, commit.metadata, topic_id=topic_id, end=end)
    if found.problem is not None:
        log.warning(
            "commit_not_trusted",
            group=reading.group,
            topic=reading.topic,
            partition=number,
            offset=commit.offset,
            end=end,
            problem=found.problem,
            going_on="at the start policy" if found.offset is None else "without its map",
        )
    return found


def _owned(reading: Reading, place: TopicPartition, reader: LogReader, found: Resumption) -> Owned:
    upto = reader.end if reading.end_at_end else None
    if found.offset is not None:
        tracker = Tracker(found.offset, place.epoch, found.finished)
        return Owned(place, reader, tracker, since=found.since or 0, upto=upto)
    base = start_offset(reader, reading.start, place)
    log.info(
        "start_policy",
        start=str(reading.start),
        topic=place.topic,
        partition=place.partition,
        offset=base,
    )
    return Owned(place, reader, Tracker(base, place.epoch), upto=upto)


def _find_published(reading: Reading, owned: Mapping[int, Owned]) -> None:
    known = [one.since for one in owned.values() if one.since is not None]
    if not known:
        return
    found = published_since(
        reading.root,
        reading.scores,
        since=min(known) - int(MARGIN.total_seconds() * 1000),
        topic=reading.topic,
        mode=mode(reading.run),
    )
    for number, one in owned.items():
        if one.since is not None:
            rows = found.get(number, {})
            one.published = {at: ids for at, ids in rows.items() if at >= one.tracker.base}
