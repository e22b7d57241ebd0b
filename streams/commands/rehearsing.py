"""`replay --dry-run`: what a run would do and cost."""

from rich.console import Console

from streams.commands.opening import as_judged, earlier, run_of
from streams.console.replay_estimate import print_estimate
from streams.console.taking import assumed
from streams.replay.asked import Asked
from streams.replay.rehearsal import Rehearsal
from streams.replay.runs import Runs
from streams.wiring.broker import Wiring
from streams.wiring.judges import JudgeWiring
from streams.wiring.replaying import ReplayWiring
from streams.wiring.scoring import ScoreWiring


async def rehearse(wiring: Wiring, asked: Asked, console: Console, *, as_json: bool) -> None:
    """Print what the run would do and cost. Nobody is asked, and nothing is written.

    Raises ReplayRefusedError.
    """
    async with wiring.glance() as look:
        begun = await Runs(look, wiring.topics.runs).parts(asked.run)
        parts = ReplayWiring(wiring, asked, dry=True)
        run = await run_of(parts, begun, look)
        parts = parts.as_begun(run)
        judges = JudgeWiring(parts.wiring)
        async with judges.panel() as panel, judges.trials() as trials:
            run = as_judged(run, panel)
            async with earlier(parts, run, look) as known:
                sampler, decode = ScoreWiring(parts.wiring).sampler, parts.wiring.intake.decode
                rehearsal = Rehearsal(sampler, decode, panel, known)
                await rehearsal.read(parts.rows(run, look))
                models = {one.stage: assumed(one.stage, one.price) for one in trials}
                estimate = await rehearsal.estimate(judges.stages, models)
    unpriced = tuple(name for name, model in models.items() if not model.priced)
    print_estimate(estimate, console, unpriced=unpriced, done=run.spent, as_json=as_json)
