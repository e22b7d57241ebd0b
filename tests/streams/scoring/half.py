"""The score half over a source and a sink of a test's own, at noon."""

from collections.abc import Mapping

from streams.intake.decode import Intake
from streams.pipeline import Scoring
from streams.ports import Sink, Source
from streams.scoring.books import Books
from streams.scoring.events import Scorecard
from streams.scoring.panel import Seat
from streams.scoring.sampling import BodySampler
from streams.scoring.tallying import Tallying
from streams.scoring.throttle import Throttle, Unthrottled
from tests.fakes import NOON

INTAKE = Intake()


def a_scoring(
    source: Source,
    sink: Sink,
    panel: Mapping[str, Seat],
    *,
    probability: float = 1.0,
    throttle: Throttle | None = None,
) -> Scoring:
    """Return a half that draws rows with this chance, for every scorer of the panel."""
    sampler = BodySampler("salt", probability, [], dict.fromkeys(panel), INTAKE.heads)
    return Scoring(
        sampler=sampler,
        decode=INTAKE.decode,
        panel=panel,
        scorecard=Scorecard("body", "claims"),
        sink=sink,
        books=Books(Tallying(sampler.chances, lambda: NOON), source, sink, "worker-1"),
        clock=lambda: NOON,
        throttle=throttle or Unthrottled(),
    )
