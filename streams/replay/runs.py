"""The manifests of replays on their topic: the latest of each key counts."""

import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, Protocol

import msgspec
from pydantic import ValidationError

from schemas.run import Run, RunLease, Spent, Stretch
from streams.address import Letter
from streams.glance import Glance
from streams.ports import Clock
from streams.replay.planning import ReplayRefusedError

_MAJOR = re.compile(r"streamgauge\.run/([0-9]{1,9})")


class _Head(msgspec.Struct):
    """What every manifest says, whichever version wrote it."""

    schema: str
    run: str

    @property
    def newer(self) -> bool:
        """Whether a later version than this one wrote it."""
        major = _MAJOR.fullmatch(self.schema)
        return major is not None and int(major[1]) > 1


_head = msgspec.json.Decoder(_Head)


@dataclass(frozen=True, slots=True)
class Runs:
    """Reads manifests on the topic of runs."""

    glance: Glance
    topic: str

    async def all(self) -> list[Run]:
        """Return what was written of runs, oldest first; what is no manifest is left out.

        Of a compacted topic that is the latest of each at least. Raises ConnectionError.
        """
        return [run async for value in self._values() if (run := _read(value)) is not None]

    async def parts(self, run: str) -> dict[str, Run]:
        """Return a run, or its shards, as they stood last, by key.

        Raises ReplayRefusedError where a later version wrote of it: it would begin anew.
        """
        async for value in self._values():
            with suppress(msgspec.DecodeError):
                found = _head.decode(value)
                if found.run == run and found.newer:
                    raise ReplayRefusedError(
                        f"{self.topic}: run {run} is of {found.schema}, which only a later version "
                        "of Streamgauge can go on with: upgrade, or begin another run"
                    )
        return {key: part for key, part in (await self.latest()).items() if part.run == run}

    async def history(self, key: str) -> list[Run]:
        """Return what was written of one run or shard, oldest first."""
        return [run for run in await self.all() if run.key == key]

    async def latest(self) -> dict[str, Run]:
        """Return every run and shard as it stood last, by key."""
        return {run.key: run for run in await self.all()}

    async def _values(self) -> AsyncIterator[bytes]:
        for partition in await self.glance.sizes(self.topic):
            async for records in self.glance.onwards(self.topic, partition):
                for record in records:
                    if record.value:
                        yield record.value


class Post(Protocol):
    """What writes letters to the topics that they name."""

    async def send(self, letters: Sequence[Letter]) -> None:
        """Write each letter to its topic."""
        ...


@dataclass(slots=True)
class Ledger:
    """One run's manifest, kept by the process that works on it: `post` is where it is written.

    `spent` and `gaps` say how things stand now: rows that were gone when they were to be read, by
    partition.
    """

    run: Run
    topic: str
    clock: Clock
    post: Post | None = None
    spent: Callable[[], Spent] = Spent
    gaps: Callable[[], Mapping[int, int]] = dict

    @property
    def now(self) -> Run:
        """The run as it stands now."""
        gaps = self.gaps()
        partitions = {n: _with_gap(at, gaps.get(n, 0)) for n, at in self.run.partitions.items()}
        found = {"at": self.clock(), "spent": self.spent(), "partitions": partitions}
        return self.run.model_copy(update=found)

    async def write(
        self,
        lease: RunLease | None,
        *,
        state: Literal["running", "stopped", "complete"] = "running",
    ) -> None:
        """Write how the run stands now. Returns once that is safe."""
        if self.post is None:
            raise RuntimeError("the manifest of a run was to be written before its topic was open")
        run = self.now.model_copy(update={"lease": lease, "state": state})
        key = run.key.encode()
        await self.post.send([Letter(self.topic, key, run.run.encode(), run.to_json(), ())])


def _with_gap(stretch: Stretch, gone: int) -> Stretch:
    if not gone or stretch.gone is None:
        return stretch
    return stretch.model_copy(update={"gone": stretch.gone + gone})


def _read(value: bytes) -> Run | None:
    try:
        return Run.model_validate_json(value)
    except ValidationError:
        return None
