"""What `check` looks at before anything runs: topics, a sample of the rows, scorers, and judges."""

from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from schemas.rejection import Rejection
from schemas.trace import RagTrace
from streams.address import Topics
from streams.console.lines import Line
from streams.console.pricing import cost_account
from streams.console.rehearsal import Part, rehearse
from streams.console.sampled import RowSample, sample, traffic
from streams.console.taking import taken, unknown
from streams.console.trying import Trial, account, tried
from streams.glance import Glance
from streams.ports import Record
from streams.scoring.panel import Seat

SAMPLE = 200
"""How many rows are looked at."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What is to be looked at: rows by `decode`, scorers by their seats, judges by their stages.

    `chances` are those that the scorers' rows have, strata aside; `budget` is US dollars a day.
    """

    topics: Topics
    decode: Callable[[Record], RagTrace | Rejection]
    panel: Mapping[str, Seat]
    stages: Sequence[str]
    trials: Sequence[Trial]
    chances: Mapping[str, float]
    budget: float | None = None


async def topics_account(
    glance: Glance, topics: Topics, *, needed: Collection[str], way_in: str
) -> AsyncIterator[Line]:
    """Say which topics are there. Those `needed` must be; `way_in` says how they come about."""
    names = (topics.traces, topics.scores, topics.marks, topics.windows, topics.alerts, topics.dead)
    for name in names:
        if sizes := await glance.sizes(name):
            held = f"{len(sizes)} partition(s), {sum(sizes.values()):,} records"
            yield Line(f"topic {name}: {held}", tone="good")
        elif name in needed:
            yield Line(f"topic {name} is not there: {way_in}", tone="bad")


async def rows_seen(glance: Glance, what: Checked) -> RowSample:
    """Read the sample."""
    return sample(await glance.latest(what.topics.traces, SAMPLE), what.decode)


async def judging_account(seen: RowSample, what: Checked) -> list[Line]:
    """Say which scorers can judge the rows, who answers them, and what that costs a day."""
    asked = [await tried(trial) for trial in what.trials]
    found = {one.trial.stage: taken(one) for one in asked}
    models = {stage: model or unknown(stage) for stage, model in found.items()}
    scorers = [seat.scorer for seat in what.panel.values()]
    parts = await rehearse(scorers, what.stages, models, seen.traces)
    lines = [line for name in parts for line in _scorer(what.panel[name], parts[name])]
    if seen.traces and not any(part.able for part in parts.values()):
        lines.append(Line("no scorer can judge any of these rows", tone="bad"))
    lines += chain.from_iterable(map(account, asked))
    if not asked:
        lines.append(Line("judge rules: asks nobody, and costs nothing", tone="good"))
    elif all(found.values()):
        asks = list(models.values())
        lines += cost_account(traffic(seen), parts, asks, what.chances, budget=what.budget)
    return lines


def _scorer(seat: Seat, part: Part) -> Iterator[Line]:
    name, config = seat.scorer.name, f"(config {seat.config_hash})"
    if not part.rows:
        yield Line(f"scorer {name} is on {config}")
        return
    can = f"can judge {part.able} of {part.rows} rows {config}"
    yield Line(f"scorer {name} {can}", tone="good" if part.able else "")
    for reason, count in part.unable.most_common():
        yield Line(f"{count} not: {reason}", depth=1)
