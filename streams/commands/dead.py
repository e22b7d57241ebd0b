"""The commands `dead list` and `dead redrive`, once their settings are read."""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue
from rich.console import Console

from streams.console.lines import counted
from streams.dead.account import RAW, json_lines, lines_of, tables
from streams.dead.letters import Wanted
from streams.dead.reading import DeadLetters
from streams.dead.redriving import Plan, Redrive, RedriveLimits, plan
from streams.pace import now
from streams.wiring.broker import Wiring


@dataclass(frozen=True, slots=True)
class Shown:
    """How letters are listed: how many of the latest, with their bytes or not, and for whom."""

    limit: int
    payload: bool
    as_json: bool


async def list_letters(wiring: Wiring, wanted: Wanted, shown: Shown, console: Console) -> bool:
    """Print the letters that are asked for. Returns whether there are any."""
    async with wiring.glance() as glance:
        letters = DeadLetters(glance, wiring.topics.dead, wiring.whose)
        found = await letters.find(wanted)
        latest = found.waiting[-shown.limit :]
        asked = latest if shown.payload else ()
        payloads = {letter: record.value async for letter, record in letters.bytes_of(asked)}
    if payloads:
        Console(stderr=True).print(RAW, style="bold red")
    if shown.as_json:
        sys.stdout.writelines(lines_of(json_lines(found, latest, payloads)))
    elif found.counts():
        for part in tables(found, latest, payloads):
            console.print(part)
    else:
        console.print("no dead letters")
    return bool(found.counts())


@dataclass(frozen=True, slots=True)
class Redriven:
    """What a run did, or (`dry`) would do; `stays` counts by reason the letters that stay."""

    chosen: Plan
    sent: int
    stays: Counter[str]
    dry: bool


async def redrive(wiring: Wiring, wanted: Wanted, limits: RedriveLimits, *, dry: bool) -> Redriven:
    """Send letters back to the traces topic; `dry`: only choose them."""
    topics = wiring.topics
    async with wiring.glance() as glance:
        letters = DeadLetters(glance, topics.dead, wiring.whose)
        chosen = plan((await letters.find(wanted)).waiting, limits, traces=topics.traces)
        if dry or not chosen.goes:
            return Redriven(chosen, 0, chosen.stays, dry)
        async with wiring.outbox() as outbox:
            again = Redrive(letters, outbox, now)
            sent, stayed = await again.run(chosen.goes, rate=limits.rate)
    return Redriven(chosen, sent, chosen.stays + stayed, dry)


def say_redriven(done: Redriven, console: Console, *, as_json: bool) -> None:
    """Print what became of the letters."""
    if as_json:
        sys.stdout.writelines(lines_of(iter([_object(done)])))
        return
    for line in _said(done):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _object(done: Redriven) -> dict[str, JsonValue]:
    return {
        "kind": "redrive",
        "dry_run": done.dry,
        "chosen": len(done.chosen.goes),
        "sent": done.sent,
        "stay": dict(done.stays),
    }


def _said(done: Redriven) -> Iterator[str]:
    reasons = Counter(letter.reason for letter in done.chosen.goes)
    by_reason = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
    if done.dry:
        said = f": {by_reason}. Nothing was sent: --yes does it" if by_reason else ""
        yield f"{counted(len(done.chosen.goes), 'letter')} would go back{said}"
    else:
        yield f"{counted(done.sent, 'letter')} went back"
    if done.chosen.goes:
        then = "mend the cause first" if done.dry else "`streamgauge dead list` shows it"
        yield f"a row that cannot be read yet becomes a dead letter again: {then}"
    for why, count in done.stays.items():
        yield f"{count} stay: {why}"
