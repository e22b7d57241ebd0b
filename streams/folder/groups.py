"""Where a group stands: `.groups/GROUP.json`, replaced as a whole, so that it is never half new.

    {"epoch": 7, "topics": {"rag.traces": {"0": {"offset": 81234, "metadata": "sg1.…"}}}}

`epoch` counts the group's starts. A commit may have `seen`, too (`streams.folder.sightings`).
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from streams.folder.faults import LogFaultError
from streams.folder.lock import Lock, acquire
from streams.folder.sightings import Sighting
from streams.folder.topic import plain_name


class Commit(BaseModel):
    """A committed offset, what is written beside it (`streams.commits`), when rows were seen."""

    model_config = ConfigDict(frozen=True)

    offset: int = Field(ge=0)
    metadata: str = ""
    seen: Sequence[Sighting] = ()


class GroupState(BaseModel):
    """What a group's file holds."""

    model_config = ConfigDict(frozen=True)

    epoch: int = Field(default=0, ge=0)
    topics: dict[str, dict[int, Commit]] = Field(default_factory=dict)


@dataclass(slots=True)
class Group:
    """A group that this process has to itself, from `join` to `leave`."""

    file: Path
    state: GroupState
    _lock: Lock
    epoch: int = field(init=False)

    def __post_init__(self) -> None:
        self.epoch = self.state.epoch + 1

    def commits(self, topic: str) -> Mapping[int, Commit]:
        """Return the group's commits of a topic, by partition."""
        return self.state.topics.get(topic, {})

    def commit(self, topic: str, commits: Mapping[int, Commit]) -> None:
        """Write commits of some of a topic's partitions, and the epoch. Waits for the disk."""
        topics = dict(self.state.topics)
        topics[topic] = {**topics.get(topic, {}), **commits}
        self.state = GroupState(epoch=self.epoch, topics=topics)
        replace(self.file, self.state.model_dump_json(exclude_defaults=True).encode())

    def leave(self) -> None:
        """Let another process have the group."""
        self._lock.release()


def join(root: Path, group: str) -> Group:
    """Return the group as it stands. Raises LockedError while another process has it.

    Raises ValueError where its file cannot be read: guessing would lose or repeat rows.
    """
    folder = root / ".groups"
    lock = acquire(folder / f"{plain_name(group)}.lock", what=f"group {group}")
    file = folder / f"{group}.json"
    try:
        found = GroupState.model_validate_json(file.read_bytes()) if file.exists() else GroupState()
    except ValidationError as error:
        lock.release()
        raise LogFaultError(
            f"{file} cannot be read ({error.error_count()} faults): restore it, or move it away to "
            "let the group begin anew"
        ) from None
    return Group(file, found, lock)


def replace(file: Path, content: bytes) -> None:
    """Replace a file so that after a crash there is the old content or the new, and no third."""
    draft = file.with_name(f"{file.name}.new")
    with draft.open("wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
