"""A topic is a folder: its partitions `0.jsonl`, `1.jsonl` …, and an id of this incarnation."""

import base64
import os
import re
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from streams.folder.faults import LogFaultError
from streams.folder.line import Line, blank, read_line
from streams.folder.log import LogReader
from streams.ports import Record

ROWS = 256
"""How many records a batch has at most."""

_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,248}")
_PARTITION = re.compile(r"(0|[1-9][0-9]{0,5})\.jsonl")
_ID = re.compile(r"[A-Za-z0-9_-]{22}")


Date = Callable[[int, int | None], int]
"""Says when a line was there, by its offset and the time that it claims. In milliseconds."""


class TopicPartition(NamedTuple):
    """A partition, and (where they are known) its topic's incarnation and our epoch of it."""

    topic: str
    partition: int
    topic_id: str = ""
    epoch: int = 0


def is_plain(name: str) -> bool:
    """Say whether a topic or a group can have that name."""
    return _NAME.fullmatch(name) is not None


def plain_name(name: str) -> str:
    """Return the name of a topic or a group. Raises ValueError where it is no plain file name."""
    if not is_plain(name):
        raise ValueError(f"{name!r}: a name has letters, digits, '.', '_' and '-' only")
    return name


def partition_files(folder: Path) -> dict[int, Path]:
    """Return the files of a topic's partitions, in order; none where the folder is missing."""
    found = {
        int(match[1]): file
        for file in (folder.iterdir() if folder.is_dir() else ())
        if (match := _PARTITION.fullmatch(file.name))
    }
    return dict(sorted(found.items()))


def make_topic(folder: Path, *, partitions: int) -> dict[int, Path]:
    """Return the files of a topic's partitions, made (so many, empty) where there are none.

    A gap in their numbers is filled, so that they run from 0 on.
    """
    folder.mkdir(parents=True, exist_ok=True)
    there = partition_files(folder)
    for number in range(max(there, default=partitions - 1) + 1):
        if number not in there:  # touching a file would change the time of its rows
            (folder / f"{number}.jsonl").touch()
    return partition_files(folder)


def topic_id(folder: Path) -> str:
    """Return the id of this incarnation of the topic, 22 characters; made at the first opening.

    Raises ValueError where the file holds anything else.
    """
    file = folder / ".topic-id"
    if not file.exists():
        made = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        draft = folder / f".topic-id.{os.getpid()}"
        draft.write_text(made)
        try:
            file.hardlink_to(draft)  # fails where another process was quicker: then its id counts
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    found = file.read_text().strip()
    if not _ID.fullmatch(found):
        raise LogFaultError(f"{file} holds no topic id: remove it, and groups start anew")
    return found


def known_topic_id(folder: Path) -> str:
    """Return the id of the topic where it has one yet, else an empty text. Writes nothing."""
    return topic_id(folder) if (folder / ".topic-id").exists() else ""


def records(
    log: LogReader,
    offset: int,
    *,
    rows: int,
    place: TopicPartition,
    date: Date | None = None,
) -> tuple[list[Record], int]:
    """Return up to `rows` records from an offset on, and the offset behind them.

    An empty line keeps its number and is no record. A line that names no time, or claims one, has
    its time from `date`; else that of its file's last writing, which no claim is later than.
    """

    def by_its_file(_: int, claimed: int | None) -> int:
        return log.modified if claimed is None else min(claimed, log.modified)

    found = []
    for line in log.read(offset, rows=rows):
        offset = line.offset + 1
        if not blank(line.raw):
            found.append(_record(read_line(line.raw), line.offset, place, date or by_its_file))
    return found, offset


def _record(held: Line, offset: int, place: TopicPartition, date: Date) -> Record:
    at = held.timestamp
    if at is None or held.claimed:
        at = date(offset, at)
    return Record(
        place.topic,
        place.partition,
        offset,
        held.key,
        held.value,
        at,
        held.headers,
        place.epoch,
        topic_id=place.topic_id,
    )


def read(
    root: Path, topic: str, *, partition: int | None = None, offset: int = 0
) -> Iterator[Record]:
    """Yield the records that a topic has by now, once: partition after partition, in order.

    With `partition` and `offset`, only that partition's from there on.
    """
    for number, file in partition_files(root / plain_name(topic)).items():
        if partition is None or number == partition:
            log = LogReader(file)
            log.grow_all()
            place = TopicPartition(topic, number, known_topic_id(file.parent))
            yield from records_between(log, offset, log.end, place)


def records_between(
    log: LogReader, offset: int, end: int, place: TopicPartition
) -> Iterator[Record]:
    """Yield the records from an offset to an end."""
    while offset < end:
        found, offset = records(log, offset, rows=min(ROWS, end - offset), place=place)
        yield from found
