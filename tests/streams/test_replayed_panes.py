"""F58: replayed rows fill panes of their run as live ones did theirs, and touch nothing of live."""

import json
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from schemas.pane import Pane
from schemas.score import ScoreEvent
from schemas.wire import rfc3339
from streams.address import Topics
from streams.console.lookup import messages
from streams.folder.follower import follow
from streams.folder.interleaving import Interleaving
from streams.pace import now
from streams.ports import Record
from streams.watch.options import Options
from streams.watch.partitions import Watches
from tests.command import streamgauge

pytestmark = pytest.mark.service

BEGAN = now().replace(second=0, microsecond=0) - timedelta(hours=3)
MINUTES, EVERY = 40, 15
RULE = (
    "name: bad-answers, kind: threshold, scorer: faithfulness, above: 0.1, window: 15m, min_n: 10"
)
SETTINGS = f"""\
broker: folder:topics
sampling: {{probability: 0.8}}
watch: {{segments: [prompt_version]}}
alerts:
  - {{{RULE}}}
"""


@dataclass(frozen=True, slots=True)
class Played:
    """A folder in which a replay was watched, and what the watch half had written before it."""

    folder: Path
    windows: bytes
    alerts: bytes


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Score rows live, replay all of them with new verdicts, and let each be watched."""
    folder = tmp_path_factory.mktemp("played")
    lay(folder)
    streamgauge("score", "--once", cwd=folder)
    streamgauge("watch", "--once", cwd=folder)
    before = Played(folder, written(folder, "rag.windows"), written(folder, "rag.alerts"))
    streamgauge("replay", "--run", "r", "--again", cwd=folder)
    streamgauge("watch", "--once", cwd=folder)
    return before


def lay(folder: Path) -> None:
    """Write two assistants' rows as they were answered; one of them grows bad half-way."""
    (folder / "topics" / "rag.traces").mkdir(parents=True)
    (folder / "streamgauge.yaml").write_text(SETTINGS)
    lines = (
        json.dumps(a_line(second, service))
        for second in range(0, 60 * MINUTES, EVERY)
        for service in ("shop", "bank")
    )
    (folder / "topics" / "rag.traces" / "0.jsonl").write_text("\n".join(lines) + "\n")


def a_line(second: int, service: str) -> dict[str, object]:
    late = 40 if second % 120 == 0 else 0
    at = BEGAN + timedelta(seconds=second)
    bad = service == "shop" and second > 30 * MINUTES and second % (2 * EVERY) == 0
    row = {
        "trace_id": f"{service}-{second}",
        "service": service,
        "answered_at": rfc3339(at - timedelta(seconds=late)),
        "answer": f"The museum opens at {17 if bad else 10} o'clock. [1]",
        "contexts": [{"key": "1", "text": "The museum opens at 10 o'clock."}],
        "attributes": {"prompt_version": "v8" if bad else "v7"},
    }
    return {"key": service, "timestamp": int(at.timestamp() * 1000), "value": row}


def written(folder: Path, topic: str) -> bytes:
    file = folder / "topics" / topic / "0.jsonl"
    return file.read_bytes() if file.exists() else b""


def events(folder: Path, run: str | None) -> dict[str, ScoreEvent]:
    found = messages(folder / "topics", "rag.scores", ScoreEvent)
    return {event.event_id: event for event in found if event.run == run}


def panes(folder: Path, run: str | None) -> dict[str, Pane]:
    """Return the latest of each pane of a run (None: live), by its key without the run."""
    found = messages(folder / "topics", "rag.windows", Pane)
    return {pane.key.rpartition("|")[0]: pane for pane in found if pane.run == run}


def content(found: dict[str, Pane]) -> dict[str, Pane]:
    """Return panes without what may differ: whose they are, where they lie, whether final."""
    same = {"run": None, "offset": 0, "final": True}
    return {key: pane.model_copy(update=same) for key, pane in found.items()}


async def held(folder: Path) -> list[set[str]]:
    """Return the runs whose panes a watch half holds after each record (live: empty)."""
    names = Topics()
    both = (names.scores, names.marks)
    source = follow(folder / "topics", both, end_at_end=True, allowed=Interleaving(*both))
    watches = Watches(Options(), names.scores, unreadable)
    found = []
    async for batch in source.batches():
        for record in batch:
            watches.fold(record)
            tables = watches.of(0).tables
            found.append({key.family.run for key in [*tables.scores, *tables.ledgers]})
        source.passed(batch)
    return found


def unreadable(record: Record, fault: str) -> None:
    raise AssertionError(fault)


def test_a_replay_of_the_same_rows_has_the_same_ids_and_outcomes(played: Played) -> None:
    live, replayed = events(played.folder, None), events(played.folder, "r")

    assert len(live) > 200
    assert replayed.keys() == live.keys()
    assert all(replayed[one].outcome == event.outcome for one, event in live.items())
    assert not any(event.reused for event in replayed.values())


def test_it_fills_panes_of_its_run_like_those_of_live(played: Played) -> None:
    live, replayed = panes(played.folder, None), panes(played.folder, "r")

    assert len(live) > 6 * MINUTES
    assert content(replayed) == content(live)
    assert all(pane.final and not pane.late for pane in replayed.values())


def test_the_live_panes_stay_as_they_are_and_nobody_is_alerted(played: Played) -> None:
    [*before], [*after] = (
        [line for line in text.splitlines() if b'"run":null' in line]
        for text in (played.windows, written(played.folder, "rag.windows"))
    )

    assert before == after
    assert b"bad-answers" in played.alerts
    assert written(played.folder, "rag.alerts") == played.alerts


async def test_a_run_that_is_over_leaves_nothing_in_the_state(played: Played) -> None:
    found = await held(played.folder)

    assert {""} in found
    assert {"", "r"} in found
    assert found[-1] == {""}


def test_bad_answers_that_only_a_replay_saw_alert_nobody_and_are_told_by_a_backtest(
    tmp_path: Path,
) -> None:
    lay(tmp_path)

    streamgauge("replay", "--run", "r", cwd=tmp_path)
    said = streamgauge(
        "replay", "--run", "r", "--backtest", "streamgauge.yaml", cwd=tmp_path
    ).stdout
    streamgauge("watch", "--once", cwd=tmp_path)

    assert written(tmp_path, "rag.alerts") == b""
    assert panes(tmp_path, None) == {}
    assert panes(tmp_path, "r")
    *episodes, summary = (json.loads(line) for line in said.splitlines() if '"kind"' in line)
    assert [one["rule"] for one in episodes] == ["bad-answers"]
    assert episodes[0]["labels"]["service_name"] == "shop"
    assert summary["end"] <= rfc3339(BEGAN + timedelta(minutes=MINUTES + 1))
