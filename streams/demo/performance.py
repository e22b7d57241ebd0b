"""The demo from curtain to curtain: its folder, both halves at work, the board, the last word."""

import asyncio
import json
import shutil
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from importlib import resources
from pathlib import Path

from rich.console import Console
from rich.live import Live

from schemas.alert import Alert
from schemas.wire import rfc3339
from streams.demo.board import Board, Overheard, alert_line
from streams.demo.content import assistants
from streams.demo.stage import PlayedClock, Player
from streams.pace import until
from streams.pipeline import run
from streams.scoring.throttle import Unthrottled
from streams.wiring.broker import Wiring
from streams.wiring.judges import JudgeWiring
from streams.wiring.scoring import ScoreWiring
from streams.wiring.watching import WatchWiring

SETTINGS, OF_THE_DEMO = "streamgauge.yaml", "settings.yaml"

WINDOW = timedelta(minutes=30)
"""What the board and the rules look at."""

_GLANCE = 0.25
_LINE_EVERY = timedelta(minutes=30)


class ForeignFolderError(Exception):
    """The folder holds something else: the demo overwrites only what a demo left."""


def prepare(folder: Path) -> Path:
    """Clear away an earlier demo, and return the settings file of this one.

    Raises ForeignFolderError.
    """
    if folder.exists() and any(folder.iterdir()):
        if not (folder / SETTINGS).exists():
            raise ForeignFolderError("in use: name another with --folder")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rest = resources.files(__package__).joinpath(OF_THE_DEMO).read_text()
    first = "# What the demo ran with: the other commands read its topics with it."
    (folder / SETTINGS).write_text(f"{first}\nbroker: folder:{folder}\n{rest}")
    return folder / SETTINGS


async def perform(wiring: Wiring, *, seconds: float, seed: int, console: Console) -> None:
    """Play, score, watch and show. The last line elsewhere than on a terminal is JSON."""
    began, clock = time.monotonic(), PlayedClock()
    score = ScoreWiring(wiring)
    source = score.source(clock=clock)
    sink, parts = wiring.folder_sink(clock=clock), WatchWiring(wiring)
    heard = Overheard(sink)
    async with JudgeWiring(wiring).panel() as panel, sink, source:
        player = Player(assistants(), seed, seconds, clock, source, sink, wiring.topics.traces)
        scoring = score.scoring(
            source, heard, panel, clock=clock, worker="demo", throttle=Unthrottled()
        )
        follower = parts.follower()
        watching = parts.watching(follower, heard)
        watch = watching.watches.of(0)
        board = Board(player, watch, heard, WINDOW)
        async with asyncio.TaskGroup() as tasks:
            halves = [
                tasks.create_task(
                    run(source, scoring, beats=clock.beats(), clock=clock, in_flight=8)
                ),
                tasks.create_task(
                    run(follower, watching, beats=clock.beats(), clock=clock, in_flight=1)
                ),
            ]
            shown = tasks.create_task(_show(board, console))
            await player.play()
            source.stop()
            await halves[0]
            await until(follower.caught_up)
            follower.stop()
            await halves[1]
            shown.cancel()
    _last_word(board, console, seconds=time.monotonic() - began, folder=wiring.root)


async def _show(board: Board, console: Console) -> None:
    """Draw the board again and again, or print a line now and then, until cancelled."""
    if console.is_terminal:
        with Live(get_renderable=board.render, console=console, transient=True):
            await asyncio.Event().wait()
    told, due = 0, board.player.clock.at
    while True:
        await asyncio.sleep(_GLANCE)
        told = _tell(board, console, told)
        if board.player.clock.at >= due:
            due += _LINE_EVERY
            _say(console, board.line())


def _tell(board: Board, console: Console, told: int) -> int:
    """Print the alerts after the first `told`, and return how many there are."""
    for alert in board.heard.alerts[told:]:
        _say(console, alert_line(alert))
    return len(board.heard.alerts)


def _say(console: Console, line: str) -> None:
    console.print(line, markup=False, highlight=False, soft_wrap=True)


def _last_word(board: Board, console: Console, *, seconds: float, folder: Path) -> None:
    """Say what was found, and what to look at next; elsewhere than on a terminal, as JSON."""
    episodes = _episodes(board.heard.alerts)
    if not console.is_terminal:
        figures = {
            "alerts": episodes,
            "rows": board.player.rows,
            "scored": board.heard.scored,
            "seconds": round(seconds, 1),
        }
        _say(console, json.dumps(figures))
        return
    console.print(board.render())
    _say(console, f"{board.player.rows} rows, {board.heard.scored} verdicts, {seconds:.0f} s. Now:")
    for name in ("last-alert", *(event.trace.trace_id for event in list(board.heard.bad)[-1:])):
        _say(console, f"  {sys.argv[0]} show {name} --config {folder / SETTINGS}")


def _episodes(steps: Sequence[Alert]) -> list[dict[str, str | None]]:
    """Return each alert's beginning and end."""
    episodes: dict[str, dict[str, str | None]] = {}
    for step in steps:
        labels = step.labels
        episode = episodes.setdefault(
            step.alert_id,
            {
                "assistant": f"{labels.get('service_name')}/{labels.get('environment')}",
                "rule": step.rule,
                "fired_at": rfc3339(step.starts_at),
                "resolved_at": None,
            },
        )
        if step.ends_at is not None:
            episode["resolved_at"] = rfc3339(step.ends_at)
    return list(episodes.values())
