"""The manifests of replays on their topic: the latest of each key counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import ValidationError

from schemas.run import Run
from streams.address import Letter
from streams.console.glance import Glance


class Post(Protocol):
    """What writes letters to the topics that they name."""

    async def send(self, letters: Sequence[Letter]) -> None:
        """Write each letter to its topic."""
        ...


@dataclass(frozen=True, slots=True)
class Runs:
    """Reads and writes manifests on the topic of runs."""

    glance: Glance
    topic: str

    async def latest(self) -> dict[str, Run]:
        """Return every run and shard as it stood last, by key; what is no manifest is left out."""
        found: dict[str, Run] = {}
        for partition in await self.glance.sizes(self.topic):
            async for records in self.glance.onwards(self.topic, partition):
                for record in records:
                    if record.value and (run := _read(record.value)) is not None:
                        found[run.key] = run
        return found

    async def write(self, run: Run, post: Post) -> None:
        """Write how a run stands now. Returns once that is safe."""
        key = run.key.encode()
        await post.send([Letter(self.topic, key, run.run.encode(), run.to_json(), ())])


def _read(value: bytes) -> Run | None:
    try:
        return Run.model_validate_json(value)
    except ValidationError:
        return None
