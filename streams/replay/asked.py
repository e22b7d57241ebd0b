"""What a replay is asked to do, as the command line says it. Pure."""

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from schemas.run import run_key

_NAME = re.compile(r"(?!live$|.*-[0-9]+of[0-9]+$)[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
_SHARD = re.compile(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})")
_BUDGET = re.compile(r"([0-9]+(?:\.[0-9]+)?)(usd|calls)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Shard:
    """The `number`th of `of` parts of a run, from 1 on: each works on its share of partitions."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def has(self, partition: int) -> bool:
        """Say whether a partition is this part's."""
        return partition % self.of == self.number - 1


@dataclass(frozen=True, slots=True)
class Limit:
    """What a run may spend in all of its lives; None: without a bound."""

    calls: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A replay as it was asked for. Of a run that has begun, what is not given is as it was.

    `known`: the run must have begun, for something is asked about it.
    """

    run: str
    file: Path | None = None
    begin: datetime | None = None
    end: datetime | None = None
    shard: Shard | None = None
    probability: float | None = None
    again: bool = False
    limit: Limit | None = None
    known: bool = False

    @property
    def key(self) -> str:
        """The key of its manifest."""
        return run_key(self.run, self.shard)

    def has(self, partition: int) -> bool:
        """Say whether a partition is to be worked on."""
        return self.shard is None or self.shard.has(partition)

    @property
    def keys(self) -> list[str]:
        """The keys of the manifests of all parts of the run."""
        if self.shard is None:
            return [self.key]
        return [run_key(self.run, Shard(n, self.shard.of)) for n in range(1, self.shard.of + 1)]

    def group(self, live: str) -> str:
        """Return the group that its offsets are committed for, beside the live one."""
        part = "" if self.shard is None else f"-{self.shard.number}of{self.shard.of}"
        return f"{live}-replay-{self.run}{part}"


def run_name(text: str) -> str:
    """Return the name of a run. Raises ValueError.

    An option is none (`--run --dry-run` would spend money), nor what makes a shard's group.
    """
    if not _NAME.fullmatch(text):
        raise ValueError(
            "a run's name has letters, digits, '.', '_' and '-', begins with one of the first two "
            "or '_', is not live, and does not end as the group of a shard does: -1of4"
        )
    return text


def shard(text: str) -> Shard:
    """Return what `2/3` says. Raises ValueError."""
    found = _SHARD.fullmatch(text)
    if found is None or int(found[1]) > int(found[2]):
        raise ValueError("write a part and how many there are: 1/4")
    return Shard(int(found[1]), int(found[2]))


def limit(texts: list[str]) -> Limit | None:
    """Return what budgets say: `2000calls`, `12.50usd`, or both; `none` bounds nothing.

    None where nothing is said. Raises ValueError.
    """
    if texts == ["none"]:
        return Limit()
    found: dict[str, float] = {}
    for text in texts:
        read = _BUDGET.fullmatch(text.strip())
        if read is None or read[2].lower() in found:
            raise ValueError(
                "write a sum or a number of calls, once each: 12.50usd, 2000calls; or none alone"
            )
        found[read[2].lower()] = float(read[1])
    calls = found.get("calls")
    if calls is not None and calls != int(calls):
        raise ValueError("a call cannot be halved: write a whole number of calls")
    return Limit(None if calls is None else int(calls), found.get("usd")) if found else None
