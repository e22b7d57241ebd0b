"""From settings to who judges: the scorers that are on, each with its judge."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from schemas.trace import RagTrace
from scorers.judges.observed import Hears, nobody
from scorers.judges.pace import whole_of_it
from scorers.redaction.rows import covered
from scorers.redaction.veil import Redaction
from streams.console.trying import Trial, trials
from streams.scoring.judging import Judging
from streams.scoring.panel import Seat
from streams.settings.load import read_secrets
from streams.wiring.broker import Wiring


@dataclass(frozen=True, slots=True)
class JudgeWiring:
    """Makes scorers and their judges, and says what of a row people may read."""

    wiring: Wiring

    def panel(
        self,
        *,
        waits: bool = True,
        share: Callable[[], float] = whole_of_it,
        hears: Hears = nobody,
    ) -> AbstractAsyncContextManager[dict[str, Seat]]:
        """The scorers that are on, each with its judge; their connections end with the context.

        `share` is this process's part of what the group may ask in a minute; each request to a
        model is told to `hears`.
        """
        settings = self.wiring.settings
        return Judging(
            judge=settings.judge,
            scorers=settings.scorers,
            criteria=settings.criteria,
            abstentions=settings.abstentions,
            assistants=settings.assistants,
            secrets=read_secrets(),
            max_text=settings.intake.max_text,
        ).panel(waits=waits, share=share, hears=hears)

    @property
    def stages(self) -> tuple[str, ...]:
        """The judges that are asked, in order."""
        return self.wiring.settings.judge.stages

    def trials(self) -> AbstractAsyncContextManager[list[Trial]]:
        """The endpoints that the judge asks, each to be tried by itself."""
        return trials(self.wiring.settings.judge, read_secrets())

    def covered(self, trace: RagTrace) -> RagTrace:
        """Return a row as people may read it outside its topic: as models do."""
        names = self.wiring.settings.judge.redact
        spared = frozenset(self.wiring.settings.abstentions)
        return covered(trace, Redaction(names, spared)).trace if names else trace

    @property
    def pass_at(self) -> Mapping[str, float]:
        """The normalized score from which a scorer's answers pass, of those that have such."""
        return self.wiring.settings.scorers.pass_at

    @property
    def asks(self) -> Mapping[str, str]:
        """What your own criteria ask of an answer."""
        return {one.name: one.question for one in self.wiring.settings.criteria}
