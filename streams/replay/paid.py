"""What a run has paid, by the verdicts that it published: a killed life could not say it itself."""

import asyncio
from collections.abc import Collection, Iterable

from schemas.run import Run, Spent
from streams.address import mode
from streams.glance import Glance
from streams.ports import Record
from streams.replay.skimmed import beginning, skimmed
from streams.replay.spending import counted_as


async def paid(glance: Glance, scores: str, run: Run) -> Spent:
    """Return what the run (or this shard of it) has spent: the most that anyone says.

    Its manifest lags behind by what was paid between its last writing and a kill; the scores topic
    by what retention took. Raises ConnectionError where that cannot be read to its end.
    """
    since = beginning(run.began_at)
    found = Spent()
    for partition in await glance.sizes(scores):
        async for records in glance.onwards(scores, partition, since=since):
            found = await asyncio.to_thread(_added, found, records, run.run, run.partitions)
    told = run.spent
    return Spent.model_validate(
        {name: max(getattr(found, name), getattr(told, name)) for name in Spent.model_fields}
    )


def _added(spent: Spent, records: Iterable[Record], run: str, ours: Collection[int]) -> Spent:
    own, sums = mode(run), spent.model_dump()
    for _, _, _, event in skimmed(records, lambda of: of == own):
        if event.origin.partition in ours:
            failed = event.outcome.status == "error"
            sums[counted_as(reused=event.reused, failed=failed)] += 1
            sums["calls"] += event.usage.attempts
            sums["input_tokens"] += event.usage.input_tokens
            sums["output_tokens"] += event.usage.output_tokens
            sums["cost_usd"] += event.usage.cost_usd or 0.0
    return Spent.model_validate(sums)
