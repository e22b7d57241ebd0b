"""What a run has paid, by the verdicts that it published: a killed life could not say it itself."""

import asyncio
from collections.abc import Collection, Iterable
from contextlib import suppress

import msgspec

from schemas.run import Run, Spent
from schemas.wire import to_milliseconds
from streams.address import EVENT_ID, MODE, mode
from streams.glance import Glance
from streams.ports import Record
from streams.replay.spending import counted_as
from streams.replay.verdicts import BEFORE


class _Outcome(msgspec.Struct):
    status: str


class _Usage(msgspec.Struct):
    attempts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None


class _Origin(msgspec.Struct):
    partition: int


class _Skimmed(msgspec.Struct):
    """What of an event says whose it is and what it cost."""

    outcome: _Outcome
    usage: _Usage
    origin: _Origin
    reused: bool = False


_skim = msgspec.json.Decoder(_Skimmed)


async def paid(glance: Glance, scores: str, run: Run) -> Spent:
    """Return what the run (or this shard of it) has spent: the most that anyone says.

    Its manifest lags behind by what was paid between its last writing and a kill; the scores topic
    by what retention took. Raises ConnectionError where that cannot be read to its end.
    """
    since = to_milliseconds(run.began_at - BEFORE)
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
    for record in records:
        headers = dict(record.headers)
        if record.value is None or EVENT_ID not in headers or headers.get(MODE) != own:
            continue
        with suppress(msgspec.DecodeError):
            event = _skim.decode(record.value)
            if event.origin.partition in ours:
                failed = event.outcome.status == "error"
                sums[counted_as(reused=event.reused, failed=failed)] += 1
                sums["calls"] += event.usage.attempts
                sums["input_tokens"] += event.usage.input_tokens
                sums["output_tokens"] += event.usage.output_tokens
                sums["cost_usd"] += event.usage.cost_usd or 0.0
    return Spent.model_validate(sums)
