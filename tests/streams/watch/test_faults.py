"""The watch half under a schedule of faults, held against a recomputation from everything."""

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta

import pytest

from schemas.score import Scored, ScoreEvent
from schemas.wire import to_milliseconds
from streams.watch.fold import Watch
from streams.watch.options import Options
from streams.watch.panes.pane import MINUTE
from streams.watch.rules.blind import BlindRule
from streams.watch.rules.regression import RegressionRule
from streams.watch.rules.threshold import ThresholdRule
from streams.watch.rules.traffic import TrafficRule
from tests.streams.watch.played_rows import Faults
from tests.streams.watch.records import SCORER, a_mark, at, worked_off
from tests.streams.watch.score_half import ScoreHalf
from tests.streams.watch.watch_host import Host

RULES = (
    ThresholdRule(
        name="bad-answers",
        kind="threshold",
        scorer=SCORER,
        above=0.1,
        window=timedelta(minutes=15),
        min_n=10,
    ),
    RegressionRule(
        name="worse",
        kind="regression",
        scorer=SCORER,
        window=timedelta(minutes=15),
        min_n=10,
        alpha=0.01,
        by="prompt_version",
    ),
    BlindRule(name="blind", kind="blind"),
    TrafficRule(name="silence", kind="traffic"),
)
OPTIONS = Options(rules=RULES, segments=("prompt_version",))

Sums = Counter[tuple[object, ...]]


def play(half: ScoreHalf, *, seed: int, crashes: float) -> list[Host]:
    down = range(half.seconds // 3, half.seconds // 2) if seed % 2 else range(0)
    hosts = [
        Host(OPTIONS, scores, marks, seed=seed + p, crashes=crashes, down=down)
        for p, (scores, marks) in enumerate(zip(half.scores, half.marks, strict=True))
    ]
    for now in range(0, half.seconds + 900, half.step):
        half.run_until(now)
        for host in hosts:
            host.read(40, now=now)
    for host in hosts:
        while host.read(1000, now=-1):
            pass
    return hosts


def ten(start: int) -> int:
    """Panes are compared by ten minutes, whatever their length has become."""
    return start // (10 * MINUTE)


def scored_truth(half: ScoreHalf) -> Sums:
    sums: Sums = Counter()
    seen = set()
    for event in (e for log in half.scores for e in log if isinstance(e, ScoreEvent)):
        if event.event_id in seen:
            continue
        seen.add(event.event_id)
        outcome, start = event.outcome, to_milliseconds(event.trace.answered_at)
        key = (event.assistant, event.series, ten(start))
        sums[(*key, outcome.status)] += 1
        sums[(*key, "bad")] += isinstance(outcome, Scored) and outcome.bad
        if isinstance(outcome, Scored):
            sums[(*key, "millionths")] += round(outcome.normalized * 1_000_000)
    return +sums


def scored_panes(hosts: Iterable[Host], *, segments: bool = False) -> Sums:
    sums: Sums = Counter()
    for key, pane in (item for host in hosts for item in host.watch.tables.scores.items()):
        if bool(key.family.segment) is not segments:
            continue
        name = (key.family.assistant, key.family.series, ten(key.start))
        for status in ("scored", "error"):
            sums[(*name, status)] += pane.outcomes.get(status, 0)
        for cell in (cell for cells in pane.strata.values() for cell in cells.values()):
            sums[(*name, "bad")] += cell.bad
            sums[(*name, "millionths")] += cell.millionths
    return +sums


def ledger_truth(half: ScoreHalf) -> Sums:
    sums: Sums = Counter()
    for row in (row for log in half.rows for row in log):
        start = to_milliseconds(at(row.minute))
        sums[row.assistant, ten(start), row.stratum, "seen"] += 1
        sums[row.assistant, ten(start), row.stratum, "sampled"] += row.sampled
    return +sums


def ledger_panes(hosts: Iterable[Host]) -> Sums:
    sums: Sums = Counter()
    for key, pane in (item for host in hosts for item in host.watch.tables.ledgers.items()):
        for stratum, flow in pane.settled().flows.items():
            name = (key.family.assistant, ten(key.start), stratum)
            sums[(*name, "seen")] += flow.seen
            sums[(*name, "sampled")] += flow.sampled.get(SCORER, 0)
    return +sums


def drawn(hosts: Iterable[Host]) -> Sums:
    sums: Sums = Counter()
    for (assistant, start, _, column), number in ledger_panes(hosts).items():
        sums[assistant, start] += number if column == "sampled" else 0
    return +sums


def come(hosts: Iterable[Host]) -> Sums:
    """Events of any outcome, duplicates among them."""
    sums: Sums = Counter()
    for key, pane in (item for host in hosts for item in host.watch.tables.scores.items()):
        if not key.family.segment:
            sums[key.family.assistant, ten(key.start)] += sum(pane.outcomes.values())
    return +sums


def told(hosts: Iterable[Host]) -> set[tuple[str, str, object]]:
    return {(a.alert_id, a.status, a.evaluated_at) for host in hosts for a in host.alerts}


def told_in_hindsight(half: ScoreHalf) -> set[tuple[str, str, object]]:
    """What one fold says that is told of all scores first, and of time after."""
    said = []
    end = half.seconds + 900 - half.step
    for scores in half.scores:
        watch = Watch(OPTIONS)
        for offset, message in enumerate(scores):
            watch.fold(message, offset=offset)
        partitions = dict.fromkeys(range(3), worked_off(epoch=1_000))
        said += watch.fold(a_mark(end - end % 5, partitions, of=3))
    return {(m.alert_id, m.status, m.evaluated_at) for m in said if m.kind == "alert"}


@pytest.mark.parametrize("seed", range(2))
def test_panes_ledgers_and_alerts_are_those_of_a_recomputation(seed: int) -> None:
    half = ScoreHalf(seed, seconds=2400, faults=Faults())

    hosts = play(half, seed=seed, crashes=0.01)

    assert sum(host.crashes for host in hosts) > 50
    assert sum(host.overtaken for host in hosts) == 0
    assert scored_panes(hosts) == scored_truth(half)
    assert scored_panes(hosts, segments=True) == scored_truth(half)
    assert ledger_panes(hosts) == ledger_truth(half)
    assert drawn(hosts) == come(hosts)
    assert told(hosts) == told_in_hindsight(half)
    fired = {alert.rule for host in hosts for alert in host.alerts if alert.status == "firing"}
    assert fired >= {"bad-answers", "worse"}
