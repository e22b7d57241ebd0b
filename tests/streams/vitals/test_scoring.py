"""When the score half is dead, when it is not ready, and when it only has nothing to do."""

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Never

import pytest

from scorers.judges.bounded import Limits
from scorers.judges.concurrency import Concurrency
from streams.ports import Progress
from streams.scoring.gate import Gate
from streams.scoring.panel import Seat
from streams.scoring.throttle import Throttle, Unthrottled
from streams.telemetry.capped import Capped
from streams.telemetry.metered_sink import MeteredSink
from streams.telemetry.metrics import Metric
from streams.vitals.flight import Flight
from streams.vitals.scoring import ScoreVitals
from tests.fakes import CountingJudge, ListSink, ListSource, PlainScorer
from tests.streams.telemetry.exposed import some_meters
from tests.streams.vitals.idle import Idle

NOBODY: Mapping[str, Seat] = MappingProxyType({})
UNTHROTTLED = Unthrottled()


class StuckSource(ListSource):
    """Stands where it is told to."""

    at: Progress = Progress(0, 0, 1)
    trouble: str | None = None
    lost: str | None = None
    away: bool = False
    looks: int = 0

    def progress(self) -> Mapping[int, Progress]:
        return {0: self.at}

    def look(self) -> None:
        self.looks += 1


class Scene:
    """The score half's vitals, with a time that is set by hand."""

    def __init__(
        self, panel: Mapping[str, Seat] = NOBODY, throttle: Throttle = UNTHROTTLED
    ) -> None:
        self.time = 1000.0
        self.source, sink = StuckSource([]), ListSink()
        self.flight: Flight[Never] = Flight(Idle())
        self.vitals = ScoreVitals(
            self.source,
            sink,
            self.flight,
            panel,
            throttle,
            MeteredSink(sink, some_meters(), Capped(9)),
            deadline=timedelta(seconds=120),
            stopwatch=lambda: self.time,
        )

    def after(self, seconds: float) -> list[str]:
        """Let time pass, and return why it is dead."""
        self.time += seconds
        return list(self.vitals.dead())


def test_rows_that_wait_while_nothing_moves_are_the_death_of_it() -> None:
    scene = Scene()
    scene.source.at = Progress(5, 9, 1)

    said = [scene.after(seconds) for seconds in (10, 239, 2)]

    assert said == [[], [], ["rows wait, and nothing has moved for 241 s"]]


MOVES = {
    "nothing waits": Progress(9, 9, 1),
    "an offset moved": Progress(6, 9, 1),
    "it was assigned anew": Progress(5, 9, 2),
    "the partition stands for a person": Progress(5, 9, 1, stands=True),
}


@pytest.mark.parametrize("then", MOVES.values(), ids=MOVES)
def test_what_moves_or_has_nothing_to_do_lives(then: Progress) -> None:
    scene = Scene()
    scene.source.at = Progress(5, 9, 1)
    assert scene.after(10) == []

    scene.source.at = then

    assert scene.after(300) == []


def test_a_row_that_finished_is_movement_though_an_older_one_holds_the_offset() -> None:
    scene = Scene()
    scene.source.at = Progress(5, 9, 1)
    assert scene.after(10) == []

    scene.flight.finished += 1

    assert scene.after(300) == []


def test_a_judge_that_refuses_everyone_is_no_reason_to_start_anew() -> None:
    limits = Limits(Concurrency(4))
    judge, deadline = CountingJudge(), timedelta(seconds=1)
    seat = Seat(PlainScorer(), judge, deadline, Gate((limits,), waits=True))
    scene = Scene({"plain": seat})
    scene.source.at = Progress(5, 9, 1)
    assert scene.after(10) == []

    for _ in range(3):
        limits.breaker.failed(0.0)

    assert scene.after(1000) == []
    refusing = [s for s in scene.vitals.samples() if s.metric is Metric.REFUSING]
    assert [(s.value, s.attributes) for s in refusing] == [(1, {"scorer": "plain"})]


def test_a_broker_that_does_not_answer_is_no_reason_to_start_anew() -> None:
    scene = Scene()
    scene.source.at = Progress(5, 9, 1)
    assert scene.after(10) == []

    scene.source.away = True

    assert scene.after(1000) == []


def test_a_member_that_is_lost_to_its_group_is_dead_though_nothing_waits() -> None:
    scene = Scene()

    scene.source.lost = "the group has handed out no partitions for 121 s"

    assert scene.after(1) == ["the group has handed out no partitions for 121 s"]


def test_it_is_as_ready_as_its_edges() -> None:
    scene = Scene()
    assert list(scene.vitals.unready()) == []

    scene.source.trouble = "no Kafka answers"

    assert list(scene.vitals.unready()) == ["no Kafka answers"]


class HalfSpent(Unthrottled):
    """Draws a tenth, and has spent half of what it may."""

    kept = 0.1
    used: Mapping[str, float] = MappingProxyType({"cost_per_day": 0.5})


def test_what_a_budget_left_and_what_is_left_of_it_are_shown() -> None:
    found = [
        (sample.metric, sample.value, sample.attributes)
        for sample in Scene(throttle=HalfSpent()).vitals.samples()
        if sample.metric in {Metric.KEPT, Metric.BUDGET}
    ]

    assert found == [(Metric.KEPT, 0.1, {}), (Metric.BUDGET, 0.5, {"budget": "cost_per_day"})]


def test_lag_is_measured_by_the_logs_own_end_each_time() -> None:
    scene = Scene()
    scene.source.at = Progress(5, 9, 1)

    found = {sample.metric: sample.value for sample in scene.vitals.samples()}

    assert (found[Metric.LAG], found[Metric.PARTITIONS], scene.source.looks) == (4, 1, 1)
