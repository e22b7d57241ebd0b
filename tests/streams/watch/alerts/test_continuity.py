"""What becomes of alerts when a watch begins again, a rule changes or another series begins."""

from datetime import timedelta

from schemas.alert import Alert
from streams.watch.fold import Watch
from streams.watch.options import Options
from streams.watch.tables import Tables
from tests.streams.watch.alerts.day import BAD_ANSWERS, BLIND, SILENCE, Day, every, never, told_by
from tests.streams.watch.records import (
    a_mark,
    a_tick,
    at,
)


def test_an_alert_of_an_old_series_ends_when_the_new_one_has_enough_to_say() -> None:
    day = Day(BAD_ANSWERS)
    day.rows(0, 1200, every(3))

    day.rows(1200, 3600, every(3), series="s2")

    assert [a.status for a in day.alerts] == ["firing", "resolved", "firing"]
    assert [a.annotations["series"] for a in day.alerts] == ["s1", "s2", "s2"]
    assert "new series" in day.alerts[1].annotations["description"]
    assert day.steps[2][1] == day.steps[1][1] + 2
    assert "A new series began at 2026-03-01 00:20 UTC." in day.alerts[2].annotations["description"]


def test_a_rebuild_from_the_start_tells_the_same_alerts() -> None:
    day = Day(BAD_ANSWERS, BLIND, SILENCE)
    day.rows(0, 1200, every(3))
    day.rows(1200, 6000, never)
    day.idle(6000, 9000)

    again = told_by(day.told, Watch(day.options))

    assert len(again) > 2
    assert again == day.alerts


def test_an_alarm_that_is_ahead_of_time_does_not_count_an_evaluation_twice() -> None:
    """As after a crash between writing an alarm and writing the clock."""
    day = Day(BAD_ANSWERS)
    day.rows(0, 380, every(3))
    text = day.watch.tables.to_json()
    day.tell(a_mark(425, scores=2 * day.row))
    ahead = Tables.from_json(text)
    ahead.alarms.update(day.watch.tables.alarms)
    assert len(ahead.alarms) == 1

    watch = Watch(day.options, ahead)
    watch.fold(a_mark(425, scores=2 * day.row))

    assert watch.tables.alarms == day.watch.tables.alarms


def test_an_alert_whose_rule_was_taken_out_is_ended_by_the_next_tick_with_the_reason() -> None:
    day = Day(BAD_ANSWERS, SILENCE)
    day.rows(0, 1200, every(3))

    again = Watch(Options(rules=(SILENCE,)), Tables.from_json(day.watch.tables.to_json()))
    (ended,) = [m for m in again.fold(a_tick(1300)) if isinstance(m, Alert)]

    assert ended.alert_id == day.alerts[0].alert_id
    assert (ended.status, ended.ends_at) == ("resolved", at(1300))
    assert ended.labels == day.alerts[0].labels
    assert "taken out" in ended.annotations["description"]
    assert [m for m in again.fold(a_tick(1305)) if isinstance(m, Alert)] == []


def test_so_is_one_whose_rule_was_given_another_severity() -> None:
    day = Day(BAD_ANSWERS)
    day.rows(0, 1200, every(3))
    ticket = BAD_ANSWERS.model_copy(update={"severity": "ticket"})

    again = Watch(Options(rules=(ticket,)), Tables.from_json(day.watch.tables.to_json()))
    ended = [m for m in again.fold(a_tick(1300)) if isinstance(m, Alert)]

    assert [(a.status, a.severity) for a in ended] == [("resolved", "page")]


def test_an_alert_of_an_earlier_life_that_a_rebuild_does_not_come_to_is_ended() -> None:
    day = Day(BAD_ANSWERS)
    day.rows(0, 1200, every(3))
    laxer = BAD_ANSWERS.model_copy(update={"above": 0.5})

    for rule, statuses in ((laxer, ["resolved"]), (BAD_ANSWERS, ["firing"])):
        again = Watch(Options(rules=(rule,), standing=tuple(day.alerts)))
        said = told_by([*day.told, (a_tick(1300), -1)], again)
        assert [a.status for a in said] == statuses


def test_a_scorer_of_another_version_is_another_series_and_never_mixed() -> None:
    """F59: its settings are read again in mid-stream, and half a window is of the old ones."""
    day = Day(BAD_ANSWERS)
    day.rows(0, 900, every(3), series="s1")

    day.rows(900, 2400, never, series="s2")

    keys = [key for key in day.watch.tables.scores if not key.family.segment]
    split = [key.family.series for key in sorted(keys, key=lambda key: key.start)]
    assert split == ["s1"] * 15 + ["s2"] * 25
    seen = day.watch.window(*day.watch.scorers()[0], length=timedelta(hours=1), at=at(2400))
    assert (seen.family.series, seen.n) == ("s2", 150)
    assert [a.annotations["series"] for a in day.alerts] == ["s1", "s2"]
