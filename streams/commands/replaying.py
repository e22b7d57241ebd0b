"""`replay`: judge what a topic holds from one time to another, once, and say how it went."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial

import structlog
from rich.console import Console

from schemas.run import Run
from streams.console.glance import Glance
from streams.console.reporting import beside, say_progress
from streams.live import run_until_stopped
from streams.pace import beats, now
from streams.replay.asked import Asked
from streams.replay.beginning import begun, taken_up
from streams.replay.counted import CountedSink
from streams.replay.gated import gated
from streams.replay.half import Replaying
from streams.replay.halt import Halt
from streams.replay.planning import ReplayRefusedError, plan
from streams.replay.politeness import Politeness
from streams.replay.runs import Ledger, Post, Runs
from streams.replay.spending import Spending
from streams.replay.tenancy import Tenancy, this_process
from streams.replay.verdicts import Verdicts
from streams.scoring.books import Books
from streams.scoring.earlier import Earlier, Unknown
from streams.scoring.panel import Seat
from streams.settings.frozen import frozen
from streams.wiring.broker import Wiring
from streams.wiring.judges import JudgeWiring
from streams.wiring.overhearing import overhearing
from streams.wiring.replaying import Leased, ReplayWiring, drawing_more
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
        runs = Runs(look, wiring.topics.runs)
        before = (await runs.latest()).get(asked.key)
        if before is not None and before.state == "complete":
            log.info("complete_already", run=asked.key, since=str(before.at))
            return _ending(before)
        parts = ReplayWiring(wiring, asked)
        run = await (_begun(parts) if before is None else _taken_up(parts, before))
        parts = parts.as_begun(run)
        polite = Politeness(run.share)
        async with (
            overhearing(wiring, polite, clock=now),
            JudgeWiring(parts.wiring).panel(share=polite.share) as panel,
        ):
            run = _as_judged(run, panel)
            async with _earlier(parts, run, panel, look) as earlier:
                return await _Life(parts, runs, run, panel, polite, earlier).work()


async def _begun(parts: ReplayWiring) -> Run:
    """Return the manifest of a run that begins now; nothing is written. Says what is missing."""
    asked, at = parts.asked, now()
    kept = frozen(drawing_more(parts.wiring.settings, asked.probability))
    async with parts.survey() as survey:
        there = await survey.extents(parts.topic, from_=asked.begin, to=asked.end)
    found = plan(parts.topic, there, from_=asked.begin, to=asked.end, ours=asked.has, now=at)
    for message in found.messages:
        log.warning("replay_range", said=message)
    return begun(asked, found, kept, topic=parts.topic, at=at)


async def _taken_up(parts: ReplayWiring, before: Run) -> Run:
    run = taken_up(before, parts.asked, topic=parts.topic)
    async with parts.survey() as survey:
        there = await survey.extents(parts.topic, from_=run.from_, to=run.to)
    if there.topic_id != run.topic_id:
        raise ReplayRefusedError(
            f"{run.topic} was made anew since run {run.run} began: its offsets mean other rows "
            "now. Begin another run"
        )
    return run


def _as_judged(run: Run, panel: Mapping[str, Seat]) -> Run:
    """Return the run with its configurations. Raises ReplayRefusedError where they have changed."""
    configs = {name: seat.config_hash for name, seat in panel.items()}
    if run.configs and run.configs != configs:
        raise ReplayRefusedError(
            f"run {run.run} began with a version of Streamgauge that judges otherwise: its "
            "verdicts cannot stand beside today's. Begin another run, or go on with that version"
        )
    return run.model_copy(update={"configs": configs})


@asynccontextmanager
async def _earlier(
    parts: ReplayWiring, run: Run, panel: Mapping[str, Seat], look: Glance
) -> AsyncIterator[Earlier]:
    """Yield the verdicts that need not be bought."""
    if run.again:
        yield Unknown()
        return
    with Verdicts(run.run, set(run.configs.values())) as found:
        await found.learn(look, parts.wiring.topics.scores, since=run.from_)
        log.info("verdicts_known", run=run.key, verdicts=len(found))
        yield found


@dataclass(frozen=True, slots=True)
class _Life:
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
        history = partial(self.runs.of, run.key)
        tenancy = Tenancy(run.key, this_process(), ledger.write, history, now)

        async def claim(post: Post) -> Leased:
            ledger.post = post
            await tenancy.claim(run)
            return tenancy.holds

        async with parts.edges(run, claim, clock=now) as edges:
            source = parts.windowed(edges.source, run)
            halt = Halt(source.stop)
            spent_up = partial(halt.ask, "budget")
            spending = Spending(parts.asked.limit, spent_up, run.spent)
            ledger.spent, ledger.gaps = (lambda: spending.spent), edges.gaps
            sink = CountedSink(edges.sink, spending.published)
            panel = halt.heeded(gated(self.panel, self.polite.gate))
            scoring = parts.scoring(source, sink, panel, spending, run=run.run)
            async with (
                beside(tenancy.keep()),
                beside(halt.on_refusal(self.panel)),
                beside(say_progress(source)),
            ):
                await run_until_stopped(
                    source,
                    Replaying(scoring, self.earlier),
                    beats=beats(),
                    clock=now,
                    in_flight=ScoreWiring(parts.wiring).in_flight,
                )
            whole = all(at.next >= at.end for at in source.progress().values())
            if whole:
                return await self._complete(ledger, scoring.books)
            await ledger.write(None, state="stopped")
            log.warning("run_stopped", run=run.key, because=spending.reached or halt.because)
            return Ending.HALTED

    async def _complete(self, ledger: Ledger, books: Books) -> Ending:
        """Write that the run is complete; of all its shards the last tells the watch half, too."""
        asked = self.parts.asked
        if told := await _others_complete(self.runs, asked):
            await books.end(now())
        await ledger.write(None, state="complete")
        if not told and await _others_complete(self.runs, asked):  # they ended in the same moment
            await books.end(now())
        log.info("run_complete", run=self.run.key, **ledger.spent().model_dump())
        return _ending(ledger.now)


async def _others_complete(runs: Runs, asked: Asked) -> bool:
    latest = await runs.latest()
    others = (latest.get(key) for key in asked.keys if key != asked.key)
    return all(other is not None and other.state == "complete" for other in others)


def _ending(run: Run) -> Ending:
    return Ending.WITH_GAPS if run.with_gaps else Ending.COMPLETE


async def rehearse(wiring: Wiring, asked: Asked, console: Console, *, as_json: bool) -> None:
    """Print what the run would do and cost. Nobody is asked, and nothing is written."""
    raise NotImplementedError
