"""What each command does, once its settings are read: parts from `wiring`, then the flow."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import structlog
from rich.console import Console

from schemas.alert import Mute
from schemas.wire import from_milliseconds, to_milliseconds
from streams.address import muting
from streams.console.alerting import LAST, alert_account, find_alert
from streams.console.backtest import ask
from streams.console.checking import Checked, judging_account, rows_seen, topics_account
from streams.console.episodes import account, json_lines, report
from streams.console.lookup import Lookup
from streams.console.printing import PrintingSink
from streams.console.reporting import beside, say_progress, say_rates
from streams.console.sampled import Sample, sample_account
from streams.console.show import Line, find_again, trace_account
from streams.console.topics import comparison, creation
from streams.demo.performance import perform
from streams.folder.aside import append_aside
from streams.folder.follower import follow_file
from streams.folder.piped import pipe
from streams.folder.writer import Entry
from streams.live import LEAVE, run_until_stopped, stop_asked, worker_name
from streams.notify.muting import mute_of
from streams.pace import beats, now
from streams.pipeline import run
from streams.ports import Source
from streams.scoring.sampling import BASE
from streams.scoring.share import share_of
from streams.sink_wiring import SinkWiring
from streams.vitals_wiring import VitalsWiring
from streams.watch_wiring import WatchWiring
from streams.wiring import Wiring

log = structlog.get_logger()


async def score(wiring: Wiring, *, once: bool) -> None:
    """Follow the traces topic and publish scores, until stopped (or, with `once`, to its end)."""
    edges, vitals = wiring.edges(clock=now, end_at_end=once), VitalsWiring(wiring, worker_name())
    async with (
        vitals.station() as station,
        edges as (source, sink),
        wiring.panel(share=lambda: share_of(source), hears=vitals.hears(station)) as panel,
        SinkWiring(wiring).sending(station.meters, clock=now, once=once),
        vitals.scoring(station, source, sink, panel, clock=now) as half,
    ):
        log.info("scoring", broker=wiring.broker, probability=dict(wiring.sampler.chances(BASE)))
        async with beside(say_progress(source)):
            await run_until_stopped(
                source, half, beats=beats(), clock=now, in_flight=wiring.in_flight
            )
    log.info("stopped")


async def score_file(wiring: Wiring, file: Path, *, as_json: bool) -> bool:
    """Judge the rows of a file or pipe and print the verdicts; nothing is written anywhere.

    Returns whether every row could be read and judged.
    """
    source = _rows_of(file)
    sink = PrintingSink(Console(stderr=as_json), as_json)
    async with wiring.panel(waits=False) as panel:
        half = wiring.scoring(source, sink, panel, clock=now, worker=worker_name(), throttled=False)
        await run(source, half, beats=beats(), clock=now, in_flight=wiring.in_flight)
    sink.out.print(sink.summary())
    return sink.well


def _rows_of(file: Path) -> Source:
    return follow_file(file, file.name) if file.is_file() else pipe(file, file.name, now)


async def watch(wiring: Wiring, *, once: bool) -> None:
    """Fold scores and marks into rates and alerts, until stopped (or to the topics' end)."""
    if wiring.on_kafka:
        await _watch_kafka(wiring)
        return
    parts = WatchWiring(wiring)
    source = parts.follower(end_at_end=once)
    sink, vitals = wiring.sink(clock=now), VitalsWiring(wiring, worker_name())
    async with (
        vitals.station() as station,
        sink,
        parts.notifier_of_folder(sink, clock=now) as notifier,
    ):
        sink.claim(wiring.topics.windows, wiring.topics.alerts)  # a second one would tell all twice
        half = parts.watching(source, sink, ticks=not once)
        log.info("watching", folder=str(wiring.root))
        async with (
            vitals.watching(station, half.watches, clock=now),
            beside(say_rates(half.watches, parts.window)),
            beside(notifier.run()),
        ):
            await run_until_stopped(source, half, beats=beats(), clock=now, in_flight=1)
    log.info("stopped")


async def _watch_kafka(wiring: Wiring) -> None:
    parts, vitals = WatchWiring(wiring), VitalsWiring(wiring, worker_name())
    async with (
        vitals.station() as station,
        parts.watch_host() as (host, watches),
        parts.notifier_of_host(host, clock=now) as notifier,
    ):
        log.info("watching", broker=wiring.broker, group=host.group)
        with stop_asked(leave=2 * LEAVE) as asked:
            async with (
                vitals.watching(station, watches, clock=now, host=host),
                beside(say_rates(watches, parts.window)),
                beside(notifier.run()),
            ):
                await host.run(beats(), asked)
    log.info("stopped")


async def mute(wiring: Wiring, target: str, *, lasts: timedelta, by: str) -> tuple[Mute, int]:
    """Write a mute to the alerts topic, where whoever tells of alerts finds it.

    Returns it, and how many alerts so far it covers. Raises MuteRefusedError where the target names
    no alert, or too many.
    """
    async with wiring.lookup() as lookup:
        alerts = list(await lookup.alerts())
    made = mute_of(target, alerts, lasts=lasts, by=by, at=now())
    hits = len({a.alert_id for a in alerts if made.targets(a)})
    if wiring.on_kafka:
        async with wiring.kafka_sink() as sink:
            await sink.mute(made)
        return made, hits
    topic, key, value = muting(made, wiring.topics)
    append_aside(wiring.root, topic, Entry(key, value, to_milliseconds(made.at)))
    return made, hits


async def show(wiring: Wiring, name: str, console: Console, *, options: str = "") -> bool:
    """Print what is known of a trace or an alert. Returns whether anything is.

    `options` are those of the command line that another command needs to find the same topics.
    """
    async with wiring.lookup() as lookup:
        lines = await _found(wiring, lookup, name, options)
    _print(lines, console)
    for topic, oldest in lookup.unread.items():
        since = f"{from_milliseconds(oldest):%Y-%m-%d %H:%M:%S} UTC"
        console.print(f"{topic}: not read further back than {since}", style="yellow", markup=False)
    if not lines:
        said = "no alert yet" if name == LAST else f"neither a trace nor an alert: {name}"
        console.print(said, style="red", markup=False)
    return bool(lines)


async def _found(wiring: Wiring, lookup: Lookup, name: str, options: str) -> list[Line]:
    steps = find_alert(await lookup.alerts(), name)
    if steps:
        traces = {exemplar.trace_id for step in steps for exemplar in step.exemplars}
        scores, mutes = await lookup.scores(traces), await lookup.mutes()
        return list(alert_account(steps, scores, mutes=mutes, options=options))
    if name == LAST:
        return []
    events = (await lookup.scores({name})).get(name, [])
    record = await lookup.row(name, events)
    if record is None and not events:
        return []
    found = record and find_again(record, wiring.intake, wiring.sampler)
    return list(trace_account(found, events))


@dataclass(frozen=True, slots=True)
class Asked:
    """What a backtest is to list: [start, end), and of which replay's run (None: live)."""

    start: datetime | None = None
    end: datetime | None = None
    run: str | None = None


async def backtest(wiring: Wiring, asked: Asked, console: Console, *, as_json: bool) -> bool:
    """Print what the rules would have said of the stored scores. Returns whether there are any."""
    parts = WatchWiring(wiring)
    async with parts.stored(asked.run) as (stored, lookup):
        heard = await ask(stored, parts.options, to=asked.end)
        found = report(heard, parts.rule_names, start=asked.start, end=asked.end)
        scores = await lookup.scores(found.traces) if found else {}
    if found is None:
        Console(stderr=True).print("no scores of that time", style="red")
        return False
    if as_json:
        for line in json_lines(found, scores):
            console.file.write(line + "\n")
    else:
        _print(account(found, scores), console)
    return True


async def check(wiring: Wiring, console: Console) -> bool:
    """Print what was looked at, and whether it is well. Returns whether all is."""
    well = True
    async for line in _checks(wiring):
        well = well and line.tone != "bad"
        _print([line], console)
    return well


async def _checks(wiring: Wiring) -> AsyncIterator[Line]:
    yield Line("settings: no problem found", tone="good")
    async with wiring.panel() as panel, wiring.trials() as trials:
        what = Checked(
            topics=wiring.topics,
            decode=wiring.intake.decode,
            panel=panel,
            stages=wiring.stages,
            trials=trials,
            chances=wiring.sampler.chances(BASE),
        )
        seen = Sample(())
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
    _print([line async for line in made], console)


async def check_topics(wiring: Wiring, console: Console) -> bool:
    """Print what is wrong with the topics. Returns whether nothing is."""
    compared = comparison(wiring.cluster, wiring.topic_plans, copies=wiring.copies)
    lines = [line async for line in compared]
    _print(lines, console)
    return all(line.tone != "bad" for line in lines)


async def demo(wiring: Wiring, *, seconds: float, seed: int) -> None:
    """Play the demo on the topics of these settings."""
    await perform(wiring, seconds=seconds, seed=seed, console=Console())


_TONES = {"good": "green", "bad": "red", "": ""}


def _print(lines: Iterable[Line], console: Console) -> None:
    for line in lines:
        text = "  " * line.depth + line.text
        console.print(text, style=_TONES[line.tone], markup=False, highlight=False, soft_wrap=True)
