"""What is kept of each verdict while two sides are compared, and two verdicts on one row. Pure."""

from dataclasses import dataclass
from typing import NamedTuple


class Speaker(NamedTuple):
    """Who gave a verdict, and in which configuration."""

    scorer_version: str
    judge: str
    judge_version: str
    model: str
    config_hash: str
    series: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is kept of one event. `place` is its partition and offset on the scores topic.

    `score` in [0, 1] is None unless it is scored; `bad` is None where it cannot be bad at all.
    """

    scorer: str
    speaker: Speaker
    status: str
    score: float | None
    bad: bool | None
    probability: float
    reused: bool
    place: tuple[int, int]


class Pair(NamedTuple):
    """Two verdicts on one row."""

    before: Verdict
    after: Verdict

    @property
    def chance(self) -> float:
        """How likely its row was to be drawn on both sides: one draw serves both."""
        return min(self.before.probability, self.after.probability)

    @property
    def change(self) -> float | None:
        """How much higher the score is after; None where a side has none."""
        if self.before.score is None or self.after.score is None:
            return None
        return self.after.score - self.before.score

    @property
    def flipped(self) -> bool:
        """Whether one side calls bad what the other calls good."""
        return None not in (self.before.bad, self.after.bad) and self.before.bad != self.after.bad
