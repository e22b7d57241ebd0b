"""`mute` and `backtest`: what people ask of alerts, and of their rules."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from rich.console import Console

from schemas.alert import Mute
from schemas.score import ScoreEvent
from schemas.wire import to_milliseconds
from streams.address import muting
from streams.console.backtest import ask
from streams.console.episodes import account, json_lines, report
from streams.console.lines import print_lines
from streams.folder.aside import append_aside
from streams.folder.writer import Entry
from streams.notify.muting import mute_of
from streams.pace import now
from streams.wiring.broker import Wiring
from streams.wiring.watching import WatchWiring


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


@dataclass(frozen=True, slots=True)
class Asked:
    """What a backtest is to list: [start, end), and of which replay's run (None: live)."""

    start: datetime | None = None
    end: datetime | None = None
    run: str | None = None

    def speaks_of(self, event: ScoreEvent) -> bool:
        """Say whether a score is of what is listed."""
        return event.run == self.run


async def backtest(wiring: Wiring, asked: Asked, console: Console, *, as_json: bool) -> bool:
    """Print what the rules would have said of the stored scores. Returns whether there are any."""
    parts = WatchWiring(wiring)
    async with parts.stored(asked.run) as (stored, lookup):
        heard = await ask(stored, parts.options, to=asked.end)
        found = report(heard, parts.rule_names, start=asked.start, end=asked.end)
        scores = await lookup.scores(found.traces, of=asked.speaks_of) if found else {}
    if found is None:
        Console(stderr=True).print("no scores of that time", style="red")
        return False
    if as_json:
        for line in json_lines(found, scores):
            console.file.write(line + "\n")
    else:
        print_lines(account(found, scores), console)
    return True
