"""The traces topic of a played score half: rows that come late, twice, or from the future."""

from dataclasses import dataclass, replace
from random import Random

from schemas.score import Outcome
from tests.streams.watch.records import bad, failed, good

ASSISTANTS = ("shop/production", "bank/production", "news/production", "library/production")
CHANCES = {"base": 0.5, "down": 1.0}
MINUTE = 60


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the traces topic: when it was written, and when it says it was answered."""

    written: int
    answered: int
    assistant: str
    trace: int
    stratum: str
    draw: float
    series: str
    outcome: Outcome
    release: str

    @property
    def minute(self) -> int:
        """The minute that it counts in: its own, unless that lies far in the future."""
        answered = self.written if self.answered > self.written + 300 else self.answered
        return answered // MINUTE * MINUTE

    @property
    def sampled(self) -> bool:
        """Whether it is judged."""
        return self.draw < CHANCES[self.stratum]


@dataclass(frozen=True, slots=True)
class Faults:
    """How often things go wrong."""

    late: float = 0.0
    future: float = 0.02
    repeated: float = 0.03
    kill_every: int = 90


@dataclass(frozen=True, slots=True)
class Writers:
    """Write rows for so many seconds, in steps of some; `draw` says which."""

    draw: Random
    seconds: int
    step: int
    faults: Faults

    def rows(self, busy: float) -> list[list[Row]]:
        """Return each partition's rows as they lie there. `busy`: the share of steps with any."""
        draw = self.draw
        logs: list[list[Row]] = [[], [], []]
        rows: list[tuple[int, int, Row]] = []
        for second in range(0, self.seconds, self.step):
            for _ in range(draw.choice((0, 1, 1, 2)) if draw.random() < busy else 0):
                q = draw.randrange(3)
                if q < 2 or not 0.2 < second / self.seconds < 0.5:
                    rows.append((second, q, self._row(len(rows), second)))
        for written, q, row in list(rows):
            if draw.random() < self.faults.repeated:
                again = draw.randrange(1, 200)
                moved = draw.choice((0, again))
                copy = replace(row, written=written + again, answered=row.answered + moved)
                rows.append((copy.written, draw.choice((q, 0, 1)), copy))
        for _, q, row in sorted(rows, key=lambda found: found[0]):
            logs[q].append(row)
        return logs

    def _row(self, trace: int, second: int) -> Row:
        draw = self.draw
        assistant = draw.choice(ASSISTANTS)
        answered = second - draw.randrange(20)
        answered -= draw.randrange(60, 400) if draw.random() < self.faults.late else 0
        answered += draw.randrange(100, 500) if draw.random() < self.faults.future else 0
        worse = assistant == ASSISTANTS[0] and 0.3 < second / self.seconds < 0.6
        verdict: Outcome = bad() if draw.random() < (0.4 if worse else 0.03) else good()
        return Row(
            written=second,
            answered=answered,
            assistant=assistant,
            trace=trace,
            stratum="down" if draw.random() < 0.1 else "base",
            draw=draw.random(),
            series="s1" if second < 0.55 * self.seconds else "s2",
            outcome=failed() if draw.random() < 0.01 else verdict,
            release="v2" if worse else "v1",
        )
