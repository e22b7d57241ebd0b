"""A budget and a backlog at work on the score half, under a played clock."""

from collections import Counter
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from streams.scoring.budget import START
from streams.scoring.sampling import Stratum
from tests.streams.scoring.throttled import BUSY, MIDNIGHT, MINUTE, Worker, a_row


async def test_rows_are_shed_from_every_stratum_alike_and_a_lower_rate_draws_a_part_of_them() -> (
    None
):
    down = Stratum("qa", {"environment": frozenset({"qa"})}, 1.0)
    rows = [
        a_row(n, at=MIDNIGHT, assistant="shop/qa" if n % 10 == 0 else BUSY) for n in range(2000)
    ]
    free, bound = Worker(0.5, [down]), Worker(0.5, [down], calls_per_hour=1)

    for worker in (free, bound):
        await worker.minute(rows)
        await worker.half.settle(worker.now, everything=True)

    drawn = {event.event_id for event in free.sink.scores}
    assert {event.event_id for event in bound.sink.scores} < drawn
    lost = {
        name: stratum.shed for tally in bound.sink.tallies for name, stratum in tally.strata.items()
    }
    assert sum(lost.values()) == len(drawn) - len(bound.sink.scores)
    assert lost["qa"] == pytest.approx((1 - START) * 200, rel=0.1)


async def test_a_restart_begins_low_and_finds_its_probability_again() -> None:
    worker = Worker(cost_per_day=0.012 * 1440 * 50, now=MIDNIGHT + timedelta(hours=12))
    rows = (a_row(n, at=MIDNIGHT) for n in range(10**9))
    parts = []

    for _ in range(30):
        parts.append(worker.budget.factor)
        await worker.minute([next(rows) for _ in range(100)])

    assert parts[0] == START
    assert all(0.4 < part < 0.6 for part in parts[15:])


async def test_a_start_with_a_budget_is_no_reason_to_warn() -> None:
    worker = Worker(calls_per_hour=6000)

    with capture_logs() as said:
        for _ in range(3):
            await worker.minute([])

    assert [entry for entry in said if entry["log_level"] == "warning"] == []


async def test_a_person_hears_once_that_little_is_left() -> None:
    worker = Worker(calls_per_hour=60)
    rows = (a_row(n, at=MIDNIGHT) for n in range(10**9))

    with capture_logs() as said:
        for _ in range(59):
            await worker.minute([next(rows) for _ in range(50)])

    heard = Counter(entry["event"] for entry in said if entry["log_level"] == "warning")
    assert heard == {"probability_under_a_tenth": 1, "budget_nearly_used": 1}
    throttle = worker.half.throttle
    assert throttle.kept < 0.1
    assert throttle.used == {"calls_per_hour": worker.budget.allowances[0].used}


async def test_a_backlog_lowers_the_probability_until_it_is_steady_and_raises_it_after() -> None:
    worker, capacity, waiting, number = Worker(), 40, 0, 0
    parts, unread = [], []

    for minute in range(240):
        waiting += 160 if minute < 120 else 32
        drawn_of = worker.budget.factor
        rows = min(waiting, round(capacity / drawn_of))
        waiting -= rows
        worker.unread = waiting
        at = MIDNIGHT + minute * MINUTE
        await worker.minute([a_row(number + n, at=at) for n in range(rows)])
        number += rows
        parts.append(worker.budget.factor)
        unread.append(waiting)

    assert parts[0] == 1
    assert 0.15 < min(parts[60:120]) <= max(parts[60:120]) < 0.3  # a quarter is what can be done
    assert max(unread) == max(unread[:30]) <= 6 * 160
    assert parts[-1] == 1
    assert unread[-1] == 0
