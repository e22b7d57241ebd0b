"""What the broker itself wrote down of a group: who owned which partition, and every commit.

The topic of the groups' offsets is public: the formats of its keys and values are Kafka's own
`OffsetCommitKey`, `OffsetCommitValue`, `GroupMetadataKey` and `GroupMetadataValue`.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, NamedTuple

from aiokafka.protocol.types import Array, Bytes, CompactString, Int16, Int32, Int64, Schema, String

from streams.commits import Metadata, decode
from streams.ports import Record
from tests.kafka.cluster_admin import read_all

GROUPS = "__consumer_offsets"
TEXT = String("utf-8")
_OFFSET_KEY = Schema(("group", TEXT), ("topic", TEXT), ("partition", Int32))
_OFFSET = Schema(
    ("offset", Int64), ("leader_epoch", Int32), ("metadata", CompactString("utf-8")), ("at", Int64)
)
_GROUP_HEAD = Schema(
    ("protocol_type", TEXT), ("generation", Int32), ("protocol", TEXT), ("leader", TEXT)
)
_MEMBERS = Array(
    ("member_id", TEXT),
    ("instance_id", TEXT),
    ("client_id", TEXT),
    ("host", TEXT),
    ("rebalance_timeout", Int32),
    ("session_timeout", Int32),
    ("subscription", Bytes),
    ("assignment", Bytes),
)
_ASSIGNED = Array(("topic", TEXT), ("partitions", Array(Int32)))


class Commit(NamedTuple):
    """One offset that a group committed of a partition, and what stood beside it."""

    partition: int
    offset: int
    metadata: str
    at: int

    @property
    def finished(self) -> list[int]:
        """The offsets from `offset` on that the bitmap calls finished."""
        words = decode(self.metadata)
        if not isinstance(words, Metadata):
            return []
        bits = int.from_bytes(words.finished, "little")
        return [self.offset + n for n in range(bits.bit_length()) if bits >> n & 1]

    @property
    def owner(self) -> str:
        """Which life committed it."""
        words = decode(self.metadata)
        return words.nonce.partition("-")[0] if isinstance(words, Metadata) else ""


class Run(NamedTuple):
    """A process owned a partition from one moment to another, without a break. Milliseconds."""

    pid: int
    begin: int
    end: float


@dataclass(frozen=True)
class History:
    """A group's past. Runs and commits in the order in which they came; `generations` counted."""

    runs: dict[int, list[Run]]
    commits: list[Commit]
    generations: int

    def run(self, partition: int, pid: int, at: int) -> Run | None:
        """Return the process's last run of a partition that had begun by a moment."""
        runs = [run for run in self.runs.get(partition, []) if run.pid == pid and run.begin <= at]
        return runs[-1] if runs else None


async def history_of(servers: str, group: str, topic: str) -> History:
    """Read what became of a group that speaks the classic protocol, as far as one topic goes."""
    records = await read_all(servers, GROUPS)
    records.sort(key=lambda record: (record.timestamp, record.offset))
    owners = list(_owners(records, group, topic))
    commits = list(_commits(records, group, topic))
    return History(_runs(owners), commits, len(owners))


def _commits(records: Iterable[Record], group: str, topic: str) -> Iterable[Commit]:
    for record in records:
        kind, key = _opened(record.key)
        if kind > 1 or record.value is None:
            continue
        of, named, partition = _fields(_OFFSET_KEY, key)
        if (of, named) == (group, topic):
            version, value = _opened(record.value)
            assert version == 4, version
            offset, _, metadata, at = _fields(_OFFSET, value)
            yield Commit(partition, offset, metadata, at)


def _owners(
    records: Iterable[Record], group: str, topic: str
) -> Iterable[tuple[int, dict[int, int]]]:
    """Yield when each generation began, and the process that owned each partition in it."""
    for record in records:
        kind, key = _opened(record.key)
        if kind != 2 or TEXT.decode(key) != group or record.value is None:
            continue
        version, value = _opened(record.value)
        assert version == 3, version
        _GROUP_HEAD.decode(value)
        Int64.decode(value)
        owned: dict[int, int] = {}
        for member in _fields(_MEMBERS, value):
            pid = int(member[2].rpartition(".")[2])
            owned |= dict.fromkeys(_partitions(member[7], topic), pid)
        yield record.timestamp, owned


def _partitions(assignment: bytes, topic: str) -> list[int]:
    if not assignment:
        return []
    assigned = BytesIO(assignment)
    Int16.decode(assigned)
    return [n for named, numbers in _fields(_ASSIGNED, assigned) if named == topic for n in numbers]


def _fields(kind: Schema | Array, data: BytesIO) -> Any:
    """Return what stands there, field by field or item by item."""
    return kind.decode(data)


def _opened(data: bytes | None) -> tuple[int, BytesIO]:
    """Return the version that a key or value begins with, and the rest of it."""
    rest = BytesIO(data or b"\x7f\xff")
    return Int16.decode(rest), rest


def _runs(owners: Sequence[tuple[int, dict[int, int]]]) -> dict[int, list[Run]]:
    runs: defaultdict[int, list[Run]] = defaultdict(list)
    for at, owned in owners:
        for number, kept in runs.items():
            if kept[-1].end == float("inf") and owned.get(number) != kept[-1].pid:
                kept[-1] = kept[-1]._replace(end=at)
        for number, pid in owned.items():
            if not runs[number] or runs[number][-1].end != float("inf"):
                runs[number].append(Run(pid, at, float("inf")))
    return dict(runs)
