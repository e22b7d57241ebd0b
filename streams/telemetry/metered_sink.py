"""A sink that counts what goes through it: everything that is known of a row stands in its event.

So the flow has no word of metrics. What is counted was safely written first.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from schemas.mark import Mark
from schemas.rejection import Rejection
from schemas.score import Failed, Scored, ScoreEvent
from schemas.tally import Tally
from streams.ports import Message, Record, Sink
from streams.telemetry.capped import Capped
from streams.telemetry.meters import Meters
from streams.telemetry.metrics import ASSISTANT, SCORER, Metric
from streams.telemetry.sample import Sample
from streams.telemetry.targets import Target
from streams.watch.panes.events import enters_rate

ESCALATED = "escalated_"
"""Begins the counts of claims that a cascade put to another judge."""


def nowhere(event: ScoreEvent) -> Target | None:
    """Point at no span of production."""
    return None


@dataclass(slots=True)
class MeteredSink:
    """Passes everything on, and counts it. Replayed events are no live traffic: they only cost.

    `example` names the span of production that a score is told of as an example of.
    """

    sink: Sink
    meters: Meters
    assistants: Capped
    example: Callable[[ScoreEvent], Target | None] = nowhere
    causes: Capped = field(default_factory=lambda: Capped(most=50))
    _chances: dict[tuple[str, str, str], float] = field(default_factory=dict)

    async def publish(self, messages: Sequence[Message]) -> None:
        """Write the messages, and count them."""
        await self.sink.publish(messages)
        for message in messages:
            if isinstance(message, ScoreEvent):
                self._event(message)
            elif isinstance(message, Tally):
                self._tally(message)

    async def mark(self, mark: Mark) -> None:
        """Pass it on."""
        await self.sink.mark(mark)

    async def reject(self, record: Record, rejection: Rejection, *, at: datetime) -> None:
        """Set it aside, and count it."""
        await self.sink.reject(record, rejection, at=at)
        self.meters.add(Metric.DEAD, 1, {"reason": rejection.reason})

    def samples(self) -> Iterator[Sample]:
        """Yield the probabilities in force, as the last tallies had them."""
        for (assistant, scorer, stratum), chance in list(self._chances.items()):
            where = {ASSISTANT: assistant, SCORER: scorer, "stratum": stratum}
            yield Sample(Metric.PROBABILITY, chance, where)

    def _event(self, event: ScoreEvent) -> None:
        where = {ASSISTANT: self.assistants(event.assistant), SCORER: event.scorer.name}
        self._cost(event, where[ASSISTANT])
        if event.mode != "live":
            return
        outcome, meters = event.outcome, self.meters
        meters.add(Metric.EVALUATIONS, 1, where | {"outcome": outcome.status})
        if not event.reused:
            waited = event.scored_at - event.trace.answered_at
            meters.record(Metric.FRESHNESS, max(0.0, waited.total_seconds()), where)
        if isinstance(outcome, Failed):
            error = outcome.error
            why = {"kind": self.causes(error.kind), "cause": self.causes(error.cause or "")}
            meters.add(Metric.ERRORS, 1, {SCORER: event.scorer.name} | why)
        elif isinstance(outcome, Scored):
            self._verdict(event, outcome, where)

    def _verdict(self, event: ScoreEvent, outcome: Scored, where: dict[str, str]) -> None:
        seen = self.example(event)
        self.meters.record(Metric.SCORE, outcome.normalized, where, exemplar=seen)
        for name, claims in outcome.counts.items():
            if name.startswith(ESCALATED):
                to = {SCORER: event.scorer.name, "to": name.removeprefix(ESCALATED)}
                self.meters.add(Metric.ESCALATED, claims, to)
        if enters_rate(outcome):
            weight = 1 / event.sampling.probability
            self.meters.add(Metric.SCORED, 1, where)
            self.meters.add(Metric.WEIGHT, weight, where)
            self.meters.add(Metric.BAD_WEIGHT, weight * outcome.bad, where)

    def _cost(self, event: ScoreEvent, assistant: str) -> None:
        usage, meters = event.usage, self.meters
        who = {SCORER: event.scorer.name, "judge": event.judge.name}
        meters.add(Metric.CALLS, usage.calls, who)
        meters.add(Metric.ATTEMPTS, usage.attempts, who)
        meters.add(Metric.TOKENS, usage.input_tokens, who | {"type": "input"})
        meters.add(Metric.TOKENS, usage.output_tokens, who | {"type": "output"})
        if usage.cost_usd is not None:
            meters.add(Metric.COST, usage.cost_usd, who | {ASSISTANT: assistant})
        if usage.calls:
            meters.record(Metric.DURATION, usage.seconds, who)

    def _tally(self, tally: Tally) -> None:
        if tally.run is not None:
            return
        where = {ASSISTANT: self.assistants(tally.assistant)}
        for name, stratum in tally.strata.items():
            self.meters.add(Metric.SEEN, stratum.seen, where)
            self.meters.add(Metric.SHED, stratum.shed, where)
            for scorer, drawn in stratum.scorers.items():
                self.meters.add(Metric.SAMPLED, drawn.sampled, where | {SCORER: scorer})
                self._chances[where[ASSISTANT], scorer, name] = drawn.probability
        self.meters.add(Metric.SEEN, tally.rejected, where)
