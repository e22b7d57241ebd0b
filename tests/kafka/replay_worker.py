"""One life of a run as a process of its own, so that it can be killed, frozen, and refused.

    python -m tests.kafka.replay_worker '<a plan as JSON>'

It goes on with what the topic of runs says of its run, and begins it where there is nothing. Its
lease lasts for a session. Exit codes: 0 complete, 5 somebody else has the run.
"""

import asyncio
import json
import os
import sys
from dataclasses import replace
from datetime import timedelta
from functools import partial

from schemas.run import Run
from streams.address import Topics
from streams.kafka.connection import Connection, Worker
from streams.kafka.extents import surveying
from streams.kafka.glance import glance
from streams.kafka.replaying import KafkaReplaySource
from streams.kafka.sink import KafkaSink
from streams.live import run_until_stopped
from streams.pace import beats, now
from streams.replay.lease import LeaseLostError, LeaseTakenError
from streams.replay.planning import plan as planned
from streams.replay.runs import Ledger, Runs
from streams.replay.tenancy import Tenancy, this_process
from streams.subscription import Bounds, Subscription
from tests.kafka.worker import Plan, scoring_of

TAKEN = 5


async def begun(connection: Connection, topic: str, run: str) -> Run:
    """Return the manifest of a run of all that the topic has."""
    async with surveying(connection) as survey:
        extents = await survey.extents(topic, from_=None, to=None)
    found = planned(topic, extents, from_=None, to=None, ours=lambda _: True, now=now())
    return Run(
        run=run,
        topic=topic,
        topic_id=found.topic_id,
        of=found.of,
        began_at=now(),
        at=now(),
        frozen={},
        configs={},
        share=0.3,
        partitions=found.stretches,
    )


async def work(plan: Plan) -> None:
    """Read and score what is left of the run. Raises LeaseTakenError, and LeaseLostError."""
    connection = Connection(plan.servers, Worker("test", plan.slot, os.getpid()))
    topics = Topics(**plan.topics)
    async with glance(connection) as look:
        runs = Runs(look, topics.runs)
        before = (await runs.latest()).get(plan.group)
        if before is None:
            run = await begun(connection, topics.traces, plan.group)
        else:
            run = before.model_copy(update={"life": before.life + 1})
        ledger = Ledger(run, topics.runs, now)
        tenant = replace(this_process(), lasts=timedelta(seconds=plan.session_seconds))
        tenancy = Tenancy(run.key, tenant, ledger.write, partial(runs.history, run.key), now)
        async with KafkaSink(connection, topics, plan.group, "0", more=(topics.runs,)) as sink:
            ledger.post = sink
            subscription = Subscription(
                topic=topics.traces,
                group=plan.group,
                scores=topics.scores,
                run=run.run,
                bounds={n: Bounds(at.start, at.end) for n, at in run.partitions.items()},
            )
            async with tenancy.held(before) as leased:
                source = KafkaReplaySource(
                    connection,
                    subscription,
                    now,
                    epoch=run.life,
                    leased=leased,
                    topic_id=run.topic_id,
                    of=run.of,
                    began_at=run.began_at,
                )
                async with source:
                    await run_until_stopped(
                        source,
                        scoring_of(plan, source, sink, run.run),
                        beats=beats(timedelta(seconds=1)),
                        clock=now,
                        in_flight=plan.in_flight,
                    )
                await tenancy.last()
                await ledger.write(None, state="complete")


def main(text: str) -> int:
    """Return the exit code of a life."""
    code = 0
    try:
        asyncio.run(work(Plan(**json.loads(text))))
    except* (LeaseTakenError, LeaseLostError) as errors:
        sys.stderr.write(f"{errors.exceptions[0]}\n")
        code = TAKEN
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
