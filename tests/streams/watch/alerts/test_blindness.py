"""What is told when rows or verdicts do not come: that is never about quality."""

from datetime import timedelta

import pytest

from tests.streams.watch.alerts.day import BAD_ANSWERS, BLIND, SILENCE, Day, every, never
from tests.streams.watch.records import (
    a_mark,
    a_tally,
    a_tick,
    at,
    busy,
    failed,
    worked_off,
)


def test_a_judge_that_fails_is_blind_and_no_bad_answer() -> None:
    day = Day(BAD_ANSWERS, BLIND)
    day.rows(0, 1200, every(3))

    day.rows(1200, 2400, lambda _: failed())

    blind = [alert for alert in day.alerts if alert.rule == "blind"]
    assert [(a.status, a.labels["cause"]) for a in blind] == [("firing", "judge")]
    assert blind[0].annotations["summary"].startswith("faithfulness is blind: ")
    assert [a.status for a in day.alerts if a.rule == "bad-answers"] == ["firing", "nodata"]


def test_rows_whose_verdicts_do_not_come_are_blindness_of_the_score_half() -> None:
    day = Day(BLIND)
    day.rows(0, 900, never)

    for minute in range(15, 40):
        day.tell(a_tally(60 * minute, rows=(1000 * minute, 1000 * minute + 6)))
        day.tell(a_mark(60 * minute + 30, scores=day.row * 2 + minute - 14))

    assert [(a.status, a.labels["cause"]) for a in day.alerts] == [("firing", "score")]


def test_a_score_half_that_stopped_is_told_by_ticks() -> None:
    day = Day(BLIND)
    day.rows(0, 600, never)

    day.tell(*(a_tick(second) for second in range(600, 1200, 5)))

    assert [(a.status, a.labels["cause"], a.starts_at) for a in day.alerts] == [
        ("firing", "score", at(595 + 120))
    ]


def test_a_partition_that_the_score_half_stopped_is_told_while_the_others_go_on() -> None:
    day = Day(BLIND)
    day.rows(0, 600, never)
    day.tell(a_mark(606, {0: worked_off(), 1: busy(590)}, of=2, scores=120))

    for second in range(610, 1200, 10):
        day.tell(a_mark(second, {0: worked_off()}, of=2, scores=120))

    assert day.steps == [("firing", (606 + 120) / 60)]
    assert day.alerts[0].labels["cause"] == "score"
    assert day.alerts[0].annotations["summary"] == (
        "faithfulness is blind: no report on some partition since 2026-03-01 00:12 UTC: the score "
        "half is down, or stopped it (its log says why; streamgauge dead list), last 15 min, "
        "shop/production"
    )
    assert day.watch.watermark == at(1190 - 60)


def test_it_is_told_the_same_by_the_mark_that_ends_it() -> None:
    ticked, silent = Day(BLIND), Day(BLIND)
    for day in (ticked, silent):
        day.rows(0, 600, never)
    ticked.tell(*(a_tick(second) for second in range(600, 1200, 5)))

    for day in (ticked, silent):
        day.rows(1200, 1800, never)

    assert [status for status, _ in silent.steps] == ["firing", "resolved"]
    assert [a.alert_id for a in silent.alerts] == [a.alert_id for a in ticked.alerts]
    assert silent.alerts == ticked.alerts


def test_a_score_half_that_stops_again_is_told_once_the_alarm_has_cooled() -> None:
    day = Day(BLIND)
    day.rows(0, 600, never)
    day.tell(*(a_tick(second) for second in range(600, 1200, 5)))
    day.rows(1200, 1500, never)

    day.tell(*(a_tick(second) for second in range(1500, 6000, 5)))

    (_, ended) = day.steps[1]
    assert day.steps[2] == ("firing", ended + 30)


def test_rows_that_no_longer_come_are_told_and_so_is_their_return() -> None:
    day = Day(SILENCE)
    day.rows(0, 600, never)

    day.idle(600, 3600)
    day.rows(3600, 4200, never)

    assert day.steps == [("firing", 25.0), ("resolved", 61.0)]
    assert day.alerts[0].labels["metric"] == "traffic"


def test_traffic_is_silent_while_any_partition_is_blind() -> None:
    day = Day(SILENCE)
    day.rows(0, 600, never)
    day.tell(a_mark(606, {0: worked_off(), 1: worked_off()}, of=2, scores=120))

    for second in range(610, 6000, 10):
        day.tell(a_mark(second, {0: worked_off()}, of=2, scores=120))

    assert day.watch.stopped == [1]
    assert day.alerts == []


MINUTES_TO_TELL = {"bad": 15, "blind": 10, "silence": 20}


@pytest.mark.parametrize(
    ("trouble", "rule", "cause"),
    [("judge", "blind", "judge"), ("score", "blind", "score"), ("traffic", "silence", None)],
)
def test_three_troubles_are_three_alerts_in_time_and_none_about_quality(
    trouble: str, rule: str, cause: str | None
) -> None:
    day = Day(BAD_ANSWERS, BLIND, SILENCE)
    day.rows(0, 3600, every(20))

    if trouble == "judge":
        day.rows(3600, 5400, lambda _: failed())
    elif trouble == "traffic":
        day.idle(3600, 5400)
    else:
        day.tell(*(a_tick(second) for second in range(3600, 5400, 5)))

    (alert,) = day.alerts
    assert (alert.rule, alert.status, alert.labels.get("cause")) == (rule, "firing", cause)
    assert alert.evaluated_at - at(3600) <= timedelta(minutes=MINUTES_TO_TELL[rule])
    assert "flagged" not in alert.annotations["summary"]
