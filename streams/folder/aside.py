"""Writing one line beside a topic's writer: a word to a process that holds the topic's lock."""

import os
from pathlib import Path

from streams.folder.line import write_line
from streams.folder.lock import LockedError
from streams.folder.topic import partition_files, plain_name
from streams.folder.writer import Entry, TopicWriter


def append_aside(root: Path, topic: str, entry: Entry) -> None:
    """Append a copy to each partition, whoever writes there now. Raises OSError.

    Where nobody writes, the topic is opened as ever, and a torn last line mended. Where somebody
    does, that was done, and the system puts a line that is written at once behind theirs.
    """
    try:
        writer = TopicWriter.open(root, topic)
    except LockedError:
        line = write_line(key=entry.key, value=entry.value, timestamp=entry.timestamp)
        for file in partition_files(root / plain_name(topic)).values():
            append_lines(file, line)
        return
    try:
        for partition in range(writer.partitions):
            writer.append(partition, [entry])
    finally:
        writer.close()


def append_lines(file: Path, lines: bytes) -> None:
    """Append whole lines in one write, behind whatever is there. Raises OSError.

    What a full disk cut off is taken back, unless somebody has written behind it by then.
    """
    opened = os.open(file, os.O_WRONLY | os.O_APPEND)
    try:
        start = os.fstat(opened).st_size
        written = os.write(opened, lines)
        if written < len(lines):
            if os.fstat(opened).st_size == start + written:
                os.ftruncate(opened, start)
            raise OSError(f"{file}: the disk is full")
    finally:
        os.close(opened)
