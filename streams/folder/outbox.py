"""Putting records into partitions of topics that others may be writing to."""

import os
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from streams.folder.aside import append_lines
from streams.folder.faults import LogFaultError
from streams.folder.line import write_line
from streams.folder.lock import LockedError
from streams.folder.log import LogReader
from streams.folder.topic import make_topic, partition_files, plain_name
from streams.folder.writer import TopicWriter
from streams.ports import Record


@dataclass(frozen=True, slots=True)
class FolderOutbox:
    """An `Outbox`. Lines are written at once, behind those of whoever else writes there."""

    root: Path

    async def fits(self, record: Record) -> bool:
        """A line may be of any length."""
        return True

    async def append(self, records: Sequence[Record]) -> None:
        """Append each record to its partition; what goes to one file goes in one write.

        Raises LogFaultError where a file ends in the middle of a line, and OSError.
        """
        lines: defaultdict[Path, list[bytes]] = defaultdict(list)
        for record in records:
            line = write_line(
                key=record.key,
                value=record.value,
                timestamp=record.timestamp,
                headers=record.headers,
            )
            lines[self._file(record)].append(line)
        for file, some in lines.items():
            append_lines(file, _led(file) + b"".join(some))

    def mend(self, topic: str) -> None:
        """Take back a line of one of our topics that a killed writer left, if nobody writes now."""
        with suppress(LockedError):
            TopicWriter.open(self.root, topic).close()

    def _file(self, record: Record) -> Path:
        folder = self.root / plain_name(record.topic)
        files = partition_files(folder) or make_topic(folder, partitions=1)
        return files.get(record.partition) or list(files.values())[record.partition % len(files)]


def _led(file: Path) -> bytes:
    """Return what has to stand before new lines: the line feed that the last line may lack."""
    with file.open("rb") as opened:
        if opened.seek(0, os.SEEK_END) == 0:
            return b""
        opened.seek(-1, os.SEEK_END)
        if opened.read(1) == b"\n":
            return b""
    log = LogReader(file)
    log.grow_all()
    if log.torn_at is not None:
        raise LogFaultError(f"{file} ends in the middle of a line: whoever writes it must end it")
    return b"\n" if log.unended else b""
