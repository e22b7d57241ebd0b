"""`replay`: judge what a topic holds from one time to another, once, and say how it went."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import Enum
from functools import partial

import structlog
from rich.console import Console

from schemas.run import Run, Spent
from schemas.wire import rfc3339
from streams.beside import beside
from streams.commands.opening import as_judged, earlier, run_of
from streams.console.replay_progress import say_run
from streams.live import run_until_stopped, worker_name
from streams.pace import beats, now
from streams.ports import Source
from streams.replay.asked import Asked, Limit
from streams.replay.beginning import check_agrees, check_known
from streams.replay.counted import CountedSink
from streams.replay.gated import gated
from streams.replay.half import Replaying
from streams.replay.halt import Halt
from streams.replay.politeness import Politeness
from streams.replay.runs import Ledger, Post, Runs
from streams.replay.spending import Spending
from streams.replay.tenancy import Tenancy, this_process
from streams.scoring.books import Books
from streams.scoring.earlier import Earlier
from streams.scoring.panel import Seat
from streams.wiring.broker import Wiring
from streams.wiring.judges import JudgeWiring
from streams.wiring.overhearing import overhearing
from streams.wiring.replay_edges import Leased
from streams.wiring.replaying import ReplayWiring, bounds
from streams.wiring.scoring import ScoreWiring

log = structlog.get_logger()


class Ending(Enum):
    """How a replay ended."""

    COMPLETE = "complete"
    WITH_GAPS = "with_gaps"
    HALTED = "halted"


async def replay(wiring: Wiring, asked: Asked) -> Ending:
    """Begin the run, or go on with it, to its end, or until a budget, a judge or a signal ends it.

    Raises ReplayRefusedError and LeaseTakenError; LeaseLostError, in a group.
    """
    async with wiring.glance() as look:
        to = wiring.topics
        await wiring.refuse_missing(look, to.runs, to.scores, to.marks)
        runs = Runs(look, to.runs)
        check_known(asked, await runs.all())
        parts, begun = ReplayWiring(wiring, asked), await runs.parts(asked.run)
        before = begun.get(asked.key)
        if before is not None and before.state == "complete":
            topic = before.topic if asked.file is None else parts.topic
            check_agrees(before, asked, topic=topic)
            log.info("complete_already", run=asked.key, since=rfc3339(before.at))
            return _ending(before)
        run = await run_of(parts, begun, look)
        parts = parts.as_begun(run)
        polite = Politeness(run.share)
        async with (
            overhearing(wiring, polite, clock=now),
            JudgeWiring(parts.wiring).panel(share=polite.share) as panel,
        ):
            run = as_judged(run, panel)
            async with earlier(parts, run, look) as known:
                return await Life(parts, runs, run, panel, polite, known).work()


@dataclass(frozen=True, slots=True)
class Life:
    """One life of a run, and what it works with. `panel` are the seats as they were made."""

    parts: ReplayWiring
    runs: Runs
    run: Run
    panel: Mapping[str, Seat]
    polite: Politeness
    earlier: Earlier

    async def work(self) -> Ending:
        """Do what is left of the run, as its only process, and write what came of it."""
        run, parts = self.run, self.parts
        ledger = Ledger(run, parts.wiring.topics.runs, now)
        history = partial(self.runs.history, run.key)
        tenancy = Tenancy(run.key, this_process(), ledger.write, history, now)

        def claim(post: Post) -> AbstractAsyncContextManager[Leased]:
            ledger.post = post
            return tenancy.held(run)

        async with parts.edges(run, claim, clock=now) as edges:
            halt = Halt(edges.source.stop)
            source = parts.windowed(edges.source, run, ending=partial(halt.ask, "asked to"))
            spent_up = partial(halt.ask, "budget")
            limit = Limit(run.most_calls, run.most_usd)
            spending = Spending(limit, spent_up, run.spent)
            ledger.spent, ledger.gaps = (lambda: spending.spent), edges.gaps
            sink = CountedSink(edges.sink, (spending.published, halt.published))
            panel = halt.heeded(gated(self.panel, self.polite.gate))
            scoring = ScoreWiring(parts.wiring).scoring(
                source,
                sink,
                panel,
                clock=now,
                worker=worker_name(),
                throttle=spending,
                run=run.run,
            )
            async with (
                beside(halt.on_refusal(self.panel)),
                beside(self._say(source, spending)),
            ):
                await run_until_stopped(
                    source,
                    Replaying(scoring, self.earlier),
                    beats=beats(),
                    clock=now,
                    in_flight=parts.in_flight,
                )
            await tenancy.last()
            whole = all(at.next >= at.end for at in source.progress().values())
            if whole:
                return await self._complete(ledger, scoring.books)
            await ledger.write(None, state="stopped")
            why = spending.reached or halt.because
            higher = " with a higher --budget" if spending.reached else ""
            log.warning(
                "run_stopped",
                run=run.key,
                because=why,
                way_out=f"the same command{higher} goes on",
                **spending.spent.model_dump(),
            )
            return Ending.HALTED

    async def _say(self, source: Source, spending: Spending) -> None:
        """Show how the run goes on."""
        out = Console(stderr=True)
        await say_run(
            source.progress, bounds(self.run), lambda: spending.spent, console=out, clock=now
        )

    async def _complete(self, ledger: Ledger, books: Books) -> Ending:
        """Write that the run is complete; of all its shards the last tells the watch half, too."""
        asked = self.parts.asked
        if told := await _others_complete(self.runs, asked):
            await books.end(now())
        await ledger.write(None, state="complete")
        if not told and await _others_complete(self.runs, asked):  # they ended in the same moment
            await books.end(now())
        spent = ledger.spent()
        log.info("run_complete", run=self.run.key, **spent.model_dump())
        for event, way_out in _shortcomings(spent):
            log.warning(event, run=self.run.key, way_out=way_out)
        return _ending(ledger.now)


def _shortcomings(spent: Spent) -> Iterator[tuple[str, str]]:
    """Yield what a person may not expect of a run that is complete, and what can be done."""
    if spent.errors:
        yield (
            "verdicts_missing",
            "another --run buys them, and publishes the others of this one again",
        )
    if spent.rows and not spent.sampled:
        yield "nothing_drawn", "another --run with a higher --probability"


async def _others_complete(runs: Runs, asked: Asked) -> bool:
    latest = await runs.latest()
    others = (latest.get(key) for key in asked.keys if key != asked.key)
    return all(other is not None and other.state == "complete" for other in others)


def _ending(run: Run) -> Ending:
    return Ending.WITH_GAPS if run.with_gaps else Ending.COMPLETE
