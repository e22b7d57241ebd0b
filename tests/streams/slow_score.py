"""`streamgauge score` on the folder log with a slow scripted judge: a process for tests to kill.

python -m tests.streams.slow_score SETTINGS [--once]
"""

import asyncio
import hashlib
import sys
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from schemas.score import Usage
from scorers.contract import Answer, JudgeIdentity
from scorers.questions import Question, VerifyClaims
from streams.live import run_until_stopped, worker_name
from streams.pace import beats, now
from streams.scoring.panel import Seat
from streams.settings.load import load
from streams.wiring.broker import Wiring
from streams.wiring.scoring import ScoreWiring
from tests.fakes import PlainScorer

A = TypeVar("A")

SCORERS = ("faithfulness", "citation_accuracy")


@dataclass(frozen=True, slots=True)
class SlowJudge:
    """Takes up to a quarter of a second, by the claim."""

    identity: JudgeIdentity = field(default_factory=lambda: JudgeIdentity("slow", "1"))

    async def ask(self, question: Question[A]) -> Answer[A]:
        assert isinstance(question.about, VerifyClaims)
        [claim] = question.about.claims
        await asyncio.sleep(hashlib.blake2b(claim.encode(), digest_size=1).digest()[0] / 1000)
        return Answer(question.read(claim), Usage(calls=1, attempts=1))


async def score(settings: Path, *, once: bool) -> None:
    """Run the score half as the command does, with this panel."""
    wiring = Wiring(load(settings))
    source = ScoreWiring(wiring).source(clock=now, end_at_end=once)
    sink = wiring.folder_sink(clock=now)
    panel = {
        name: Seat(PlainScorer(name=name), SlowJudge(), timedelta(seconds=60)) for name in SCORERS
    }
    async with sink, source:
        half = ScoreWiring(wiring).scoring(source, sink, panel, clock=now, worker=worker_name())
        pulse = beats(timedelta(seconds=0.1))
        await run_until_stopped(source, half, beats=pulse, clock=now, in_flight=8)


if __name__ == "__main__":
    asyncio.run(score(Path(sys.argv[1]), once="--once" in sys.argv))
