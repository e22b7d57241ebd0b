"""A replay's manifest: what a run covers, how it judges, whose it is, and how far it has come."""

from typing import Literal

from pydantic import Field, JsonValue

from schemas.wire import Instant, WireModel


class Stretch(WireModel):
    """The rows of one source partition that a run covers: offsets `start` to `end` (excluded).

    `gone`: rows that had been asked for and were no more, as far as offsets tell (None: some, and
    nobody knows how many).
    """

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    gone: int | None = 0


class Spent(WireModel):
    """What all lives of a run have done and paid. `reused`: verdicts that were there already."""

    rows: int = Field(default=0, ge=0)
    sampled: int = Field(default=0, ge=0)
    judged: int = Field(default=0, ge=0)
    reused: int = Field(default=0, ge=0)
    errors: int = Field(default=0, ge=0)
    calls: int = Field(default=0, ge=0)
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cost_usd: float = Field(default=0, ge=0)


class RunLease(WireModel):
    """Who works on a run. It is theirs until `until`, or until they say so again."""

    nonce: str
    host: str
    pid: int
    until: Instant


def run_key(run: str, shard: object = None) -> str:
    """Return the key of a run's record: each shard, written i/n, has its own."""
    return run if shard is None else f"{run}|{shard}"


class Run(WireModel):
    """One run, or one shard of it, as it stood `at`. The latest on the topic counts.

    `frozen` are the sections of the settings that decide what is drawn and how it is judged;
    `configs` the configuration's hash of each scorer; `life` counts the starts, and is the epoch of
    the run's tallies. `of` is the number of partitions of the source topic. `most_calls` and
    `most_usd` bound what all lives spend; None: nothing does.
    """

    schema_: Literal["streamgauge.run/1"] = Field("streamgauge.run/1", alias="schema")
    kind: Literal["run"] = "run"
    run: str
    shard: str | None = None
    topic: str
    topic_id: str = ""
    of: int = Field(ge=1)
    from_: Instant | None = Field(default=None, alias="from")
    to: Instant | None = None
    began_at: Instant
    at: Instant
    state: Literal["running", "stopped", "complete"] = "running"
    life: int = Field(default=1, ge=1)
    lease: RunLease | None = None
    frozen: dict[str, JsonValue]
    configs: dict[str, str]
    again: bool = False
    share: float = Field(gt=0, le=1)
    most_calls: int | None = Field(default=None, ge=0)
    most_usd: float | None = Field(default=None, ge=0)
    partitions: dict[int, Stretch]
    spent: Spent = Spent()

    @property
    def key(self) -> str:
        """The key of its record."""
        return run_key(self.run, self.shard)

    @property
    def with_gaps(self) -> bool:
        """Whether rows that were asked for were no more."""
        return any(stretch.gone != 0 for stretch in self.partitions.values())
