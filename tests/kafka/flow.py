"""Topics and rows for workers that run the whole score half, and the plan that they follow."""

from dataclasses import asdict
from pathlib import Path

from streams.address import EVENT_ID, Topics
from tests.kafka.accounts import Account, Call, account
from tests.kafka.cluster_admin import make_topics, names_of, put, read_all
from tests.kafka.processes import Workers, spread, traces
from tests.kafka.worker import Plan, sampler_of

PARTITIONS = 4


async def prepare(
    kafka: str, topics: Topics, rows: int, *, partitions: int = PARTITIONS, copies: int = 1
) -> None:
    """Make the topics, and write rows of which 1 % is poison."""
    await make_stamped(kafka, topics, partitions=partitions, copies=copies)
    values = [b"not json" if n % 100 == 50 else value for n, value in enumerate(traces(rows))]
    for number, share in enumerate(spread(values, partitions)):
        await put(kafka, topics.traces, share, partition=number)


async def make_stamped(kafka: str, topics: Topics, *, partitions: int, copies: int = 1) -> None:
    """Make the topics; the broker stamps what is written about rows, as an account needs it."""
    stamped = (topics.scores, topics.dead)
    config = {"message_timestamp_type": "LogAppendTime"}
    await make_topics(kafka, stamped, partitions=partitions, copies=copies, **config)
    others = [name for name in names_of(topics) if name not in stamped]
    await make_topics(kafka, others, partitions=partitions, copies=copies)


def plan_of(kafka: str, topics: Topics, folder: Path, **changes: object) -> Plan:
    """Return what the workers of a test do; their ledger lies in `folder`."""
    return Plan(kafka, asdict(topics), str(folder / "ledger"), **changes)  # type: ignore[arg-type]


async def accounted(some: Workers) -> Account:
    """Return what became of the rows and calls of these workers."""
    plan = some.plan
    calls = [Call(entry.claim, entry.pid, entry.at) for entry in some.entries("begin")]
    sampler = sampler_of(plan.probability)
    return await account(
        plan.servers, Topics(**plan.topics), calls, group=plan.group, sampler=sampler
    )


async def settled_rows(kafka: str, topics: Topics) -> int:
    """Return how many rows have their event or their letter."""
    events = {dict(r.headers).get(EVENT_ID) for r in await read_all(kafka, topics.scores)} - {None}
    dead = {dict(r.headers).get("streamgauge-origin") for r in await read_all(kafka, topics.dead)}
    return len(events) + len(dead)


async def all_settled(kafka: str, topics: Topics, rows: int) -> bool:
    """Say whether every row has its event or its letter."""
    return await settled_rows(kafka, topics) == rows
