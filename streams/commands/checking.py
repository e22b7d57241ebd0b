"""`check`, and the commands on topics: what is wrong before anything runs."""

from collections.abc import AsyncIterator

from rich.console import Console

from streams.console.checking import Checked, judging_account, rows_seen, topics_account
from streams.console.lines import Line, print_lines, print_marked
from streams.console.sampled import RowSample, sample_account
from streams.console.topics import comparison, creation
from streams.scoring.sampling import BASE
from streams.wiring.broker import Wiring
from streams.wiring.judges import JudgeWiring
from streams.wiring.notifying import NotifyWiring
from streams.wiring.scoring import ScoreWiring
from streams.wiring.sinks import SinkWiring


async def check(wiring: Wiring, console: Console) -> bool:
    """Print what was looked at, and whether it is well. Returns whether all is."""
    return await print_marked(_checks(wiring), console)


async def _checks(wiring: Wiring) -> AsyncIterator[Line]:
    if problems := [*NotifyWiring(wiring).untold, *SinkWiring(wiring).keyless]:
        for problem in problems:
            yield Line(str(problem), tone="bad")
    else:
        yield Line("settings: no problem found", tone="good")
    judges, scoring = JudgeWiring(wiring), ScoreWiring(wiring)
    async with judges.panel() as panel, judges.trials() as trials:
        what = Checked(
            topics=wiring.topics,
            decode=wiring.intake.decode,
            panel=panel,
            stages=judges.stages,
            trials=trials,
            chances=scoring.sampler.chances(BASE),
            budget=scoring.cost_per_day,
        )
        seen = RowSample(())
        try:
            async with wiring.glance() as glance:
                needed, way_in = wiring.topics_needed, wiring.way_in
                there = topics_account(glance, wiring.topics, needed=needed, way_in=way_in)
                async for line in there:
                    yield line
                seen = await rows_seen(glance, what)
                for line in sample_account(seen, wiring.encoding):
                    yield line
        except ConnectionError as error:
            yield Line(f"broker: {error}", tone="bad")
        for line in await judging_account(seen, what):
            yield line


async def create_topics(wiring: Wiring, console: Console) -> None:
    """Make the topics that are not there."""
    made = creation(
        wiring.cluster, wiring.topic_plans, partitions=wiring.partitions, copies=wiring.copies
    )
    print_lines([line async for line in made], console)


async def check_topics(wiring: Wiring, console: Console) -> bool:
    """Print what is wrong with the topics. Returns whether nothing is."""
    compared = comparison(wiring.cluster, wiring.topic_plans, copies=wiring.copies)
    return await print_marked(compared, console)
