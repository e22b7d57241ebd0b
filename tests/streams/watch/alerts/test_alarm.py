import pytest

from streams.watch.alerts.alarm import (
    BECOMES,
    COOLDOWN,
    Alarm,
    Patience,
    State,
    Status,
    step,
)
from streams.watch.panes.pane import MINUTE
from streams.watch.rules.result import Signal

PATIENCE = Patience(evaluations=2, hold=3 * MINUTE)
RAISED, CALM, UNSURE, UNKNOWN = Signal.RAISED, Signal.CALM, Signal.UNSURE, Signal.UNKNOWN


def lived(*signals: Signal, alarm: Alarm | None = None) -> tuple[Alarm, list[tuple[int, Status]]]:
    """Return the alarm after one evaluation a minute, and what was told in which minute."""
    alarm, told = alarm or Alarm(series="s1"), []
    begin = alarm.at // MINUTE + 1
    for minute, signal in enumerate(signals, start=begin):
        alarm, status = step(alarm, signal, at=minute * MINUTE, series="s1", patience=PATIENCE)
        if status:
            told.append((minute, status))
    return alarm, told


def test_the_table_has_a_row_for_each_state_and_a_place_for_each_signal() -> None:
    assert BECOMES.keys() == set(State)
    assert all(row.keys() == set(Signal) for row in BECOMES.values())


def test_it_fires_only_when_raised_as_often_in_a_row_as_the_rule_wants() -> None:
    alarm, told = lived(RAISED, UNSURE, RAISED, RAISED, RAISED)

    assert told == [(3, "firing")]
    assert alarm.starts_at == 3 * MINUTE


@pytest.mark.parametrize("signal", [CALM, UNSURE, UNKNOWN])
def test_anything_but_raised_ends_a_pending_alarm(signal: Signal) -> None:
    alarm, told = lived(RAISED, signal)

    assert alarm.state is State.INACTIVE
    assert told == []


def test_it_clears_once_it_was_calm_for_all_of_the_hold() -> None:
    _, told = lived(RAISED, RAISED, CALM, CALM, UNSURE, CALM, CALM, CALM, CALM)

    assert told == [(1, "firing"), (8, "resolved")]


def test_silence_never_resolves_it_and_does_not_count_as_calm() -> None:
    _, told = lived(RAISED, RAISED, CALM, CALM, CALM, UNKNOWN, CALM, CALM, CALM)

    assert told == [(1, "firing"), (5, "nodata"), (6, "firing")]


def test_after_it_was_resolved_it_fires_anew_only_when_it_has_cooled() -> None:
    minutes = COOLDOWN // MINUTE
    alarm, _ = lived(RAISED, RAISED, CALM, CALM, CALM, CALM)
    resolved_in = 5

    _, told = lived(*[RAISED] * 40, alarm=alarm)

    assert told == [(resolved_in + minutes, "firing")]


def changed(alarm: Alarm, signal: Signal, minute: int) -> tuple[Alarm, Status | None]:
    return step(alarm, signal, at=minute * MINUTE, series="s2", patience=PATIENCE)


def test_a_new_series_starts_a_pending_alarm_afresh() -> None:
    pending, _ = lived(RAISED)

    alarm, status = changed(pending, RAISED, 1)

    assert (alarm.state, alarm.raised, status) == (State.PENDING, 1, None)


def test_a_firing_alarm_waits_until_the_new_series_has_something_to_say() -> None:
    firing, _ = lived(RAISED, RAISED)

    waiting, nothing = changed(firing, UNKNOWN, 2)
    fresh, ended = changed(waiting, RAISED, 3)

    assert (waiting.state, nothing) == (State.FIRING, None)
    assert (fresh.state, ended) == (State.INACTIVE, "resolved")


def test_a_new_series_may_fire_without_cooling() -> None:
    firing, _ = lived(RAISED, RAISED)
    ended, _ = changed(firing, RAISED, 2)

    pending, _ = changed(ended, RAISED, 3)
    again, status = changed(pending, RAISED, 4)

    assert status == "firing"
    assert again.starts_at == 4 * MINUTE


def test_a_quiet_alarm_is_as_good_as_none_once_it_has_cooled() -> None:
    alarm, _ = lived(RAISED, RAISED, CALM, CALM, CALM, CALM)

    assert alarm.remembers(alarm.at)
    assert not alarm.remembers(alarm.at + COOLDOWN)
