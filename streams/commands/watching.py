"""`watch`: the watch half on either broker, with what tells of its alerts."""

import structlog

from streams.beside import beside
from streams.console.reporting import say_rates
from streams.live import LEAVE, run_until_stopped, stop_asked, worker_name
from streams.pace import beats, now
from streams.wiring.broker import NotServedError, Wiring
from streams.wiring.notifying import NotifyWiring
from streams.wiring.vitals import VitalsWiring
from streams.wiring.watching import WatchWiring

log = structlog.get_logger()


async def watch(wiring: Wiring, *, once: bool) -> None:
    """Fold scores and marks into rates and alerts, until stopped (or to the topics' end).

    Raises NotServedError for `once` on Kafka, where Faust follows the topics for good.
    """
    if wiring.on_kafka and once:
        raise NotServedError(
            "--once: watch on Kafka has no end. Leave it out and stop it when you like, or ask the "
            "stored scores by streamgauge backtest"
        )
    if wiring.on_kafka:
        await _watch_kafka(wiring)
        return
    parts = WatchWiring(wiring)
    source = parts.follower(end_at_end=once)
    sink, vitals = wiring.folder_sink(clock=now), VitalsWiring(wiring, worker_name())
    async with (
        vitals.station() as station,
        sink,
        NotifyWiring(wiring).of_folder(sink, clock=now) as notifier,
    ):
        sink.claim(wiring.topics.windows, wiring.topics.alerts)  # a second one would tell all twice
        half = parts.watching(source, sink, ticks=not once)
        log.info("watching", folder=str(wiring.root))
        async with (
            vitals.watching(station, half.watches, notifier.receivers, clock=now),
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
        NotifyWiring(wiring).of_host(host, clock=now) as notifier,
    ):
        log.info("watching", broker=wiring.broker, group=host.group)
        with stop_asked(leave=2 * LEAVE) as asked:
            async with (
                vitals.watching(station, watches, notifier.receivers, clock=now, host=host),
                beside(say_rates(watches, parts.window)),
                beside(notifier.run()),
            ):
                await host.run(beats(), asked)
    log.info("stopped")
