"""What one minute (or ten, or an hour) of one assistant added up to: the windows topic.

Sums are integers kept apart by stratum and probability, so that panes merge exactly and an
estimate can still weigh each stratum by its own share.
"""

from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field

from schemas.alert import Exemplar
from schemas.wire import Instant, WireModel, rfc3339

BINS = 50
"""How many equal bins of [0, 1] the histogram of normalized scores has."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The scored answers that had the same chance: all of them, those rated, those bad.

    `rated` leaves out answers that are never bad (abstained, no claims, empty, uncited).
    `millionths` sums the normalized score in millionths and `squares` its square, over all `n`.
    """

    n: int = 0
    rated: int = 0
    bad: int = 0
    millionths: int = 0
    squares: int = 0

    def __add__(self, other: "Cell") -> "Cell":
        """Return both together."""
        return Cell(
            self.n + other.n,
            self.rated + other.rated,
            self.bad + other.bad,
            self.millionths + other.millionths,
            self.squares + other.squares,
        )


@dataclass(frozen=True, slots=True)
class Flow:
    """The rows of one stratum: seen, given up to a budget or a backlog, drawn by scorer."""

    seen: int = 0
    shed: int = 0
    sampled: dict[str, int] = field(default_factory=dict)


class Segment(WireModel):
    """One value of one watched attribute, such as `prompt_version` = `v7`."""

    name: str
    value: str


class Pane(WireModel):
    """A pane of scores, or (without scorer, series and segment) the ledger of the rows behind them.

    `offset` is the last one of the scores partition that the pane holds. `late` counts what came
    after the pane was final. A longer pane replaces the shorter ones that it covers.
    """

    schema_: Literal["streamgauge.pane/1"] = Field("streamgauge.pane/1", alias="schema")
    kind: Literal["pane"] = "pane"
    assistant: str
    scorer: str | None = None
    judge: str | None = None
    series: str | None = None
    segment: Segment | None = None
    start: Instant
    length_s: int = Field(gt=0)
    run: str | None = None
    final: bool
    offset: int
    late: int = 0
    strata: dict[str, dict[float, Cell]] = Field(default_factory=dict)
    counts: dict[str, int] = Field(default_factory=dict)
    outcomes: dict[str, int] = Field(default_factory=dict)
    reasons: dict[str, int] = Field(default_factory=dict)
    flags: dict[str, int] = Field(default_factory=dict)
    histogram: tuple[int, ...] = ()
    exemplars: tuple[Exemplar, ...] = ()
    first_at: Instant | None = None
    last_at: Instant | None = None
    ledger: dict[str, Flow] | None = None
    rejected: int = 0

    @property
    def key(self) -> str:
        """The record key: one pane has one key, so that compaction keeps its last update."""
        segment = f"{self.segment.name}={self.segment.value}" if self.segment else ""
        parts = (self.assistant, self.scorer or "", self.series or "", segment)
        return "|".join((*parts, rfc3339(self.start), str(self.length_s), self.run or "live"))
