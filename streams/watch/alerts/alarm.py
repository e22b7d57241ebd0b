"""The life of one alarm, as a table: what it was, what an evaluation says, what it becomes.

Everything that changes an alarm's state stands in `BECOMES`. What an evaluation says is first held
against time (`for`, the hold before clearing, the cooldown), so that the table needs no numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

from streams.watch.panes.pane import MINUTE
from streams.watch.rules.result import Signal

COOLDOWN = 30 * MINUTE
"""How long after it was resolved an alarm stays pending before it fires anew."""

Status = Literal["firing", "resolved", "nodata"]


class State(StrEnum):
    """What an alarm is. `nodata` is a firing alarm that has lost its data: it never clears so."""

    INACTIVE = "inactive"
    PENDING = "pending"
    FIRING = "firing"
    NODATA = "nodata"


_UNTOLD = {
    Signal.RAISED: State.PENDING,
    Signal.CONFIRMED: State.FIRING,
    Signal.UNSURE: State.INACTIVE,
    Signal.CALM: State.INACTIVE,
    Signal.CLEARED: State.INACTIVE,
    Signal.UNKNOWN: State.INACTIVE,
}
_TOLD = {
    Signal.RAISED: State.FIRING,
    Signal.CONFIRMED: State.FIRING,
    Signal.UNSURE: State.FIRING,
    Signal.CALM: State.FIRING,
    Signal.CLEARED: State.INACTIVE,
    Signal.UNKNOWN: State.NODATA,
}
BECOMES = {
    State.INACTIVE: _UNTOLD,
    State.PENDING: _UNTOLD,
    State.FIRING: _TOLD,
    State.NODATA: _TOLD,
}

ACTIVE = frozenset({State.FIRING, State.NODATA})
"""The states that somebody was told of."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How many raised evaluations in a row make it fire, how long a calm (ms) makes it end."""

    evaluations: int = 1
    hold: int = 0


@dataclass(frozen=True, slots=True)
class Alarm:
    """One rule's memory of one thing it watches. Instants are boundaries of panes.

    `series` is the one that it speaks of, `at` the last boundary it was evaluated at, `labels`
    those under which somebody was told.
    """

    state: State = State.INACTIVE
    series: str = ""
    at: int = -1
    raised: int = 0
    calm_since: int | None = None
    starts_at: int | None = None
    resolved_at: int | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def active(self) -> bool:
        """Whether somebody was told, and not yet told otherwise."""
        return self.state in ACTIVE

    def remembers(self, at: int) -> bool:
        """Say whether there is anything to keep: a quiet alarm is as good as none."""
        cooling = self.resolved_at is not None and at < self.resolved_at + COOLDOWN
        return self.state is not State.INACTIVE or cooling


def step(
    alarm: Alarm, signal: Signal, *, at: int, series: str, patience: Patience
) -> tuple[Alarm, Status | None]:
    """Return the alarm after one evaluation, and what to tell of it, if anything.

    An alarm begins afresh when the series changes; while it is active it first waits until the new
    series has something to say, and is then resolved without a cooldown.
    """
    if series != alarm.series:
        if not alarm.active:
            alarm = Alarm(series=series, resolved_at=alarm.resolved_at)
        elif signal is Signal.UNKNOWN:
            return replace(alarm, at=at), None
        else:
            ended = replace(alarm, state=State.INACTIVE, at=at, raised=0, calm_since=None)
            return replace(ended, series=series), "resolved"
    calm_since = at if alarm.calm_since is None else alarm.calm_since
    timed = replace(
        alarm,
        at=at,
        raised=alarm.raised + 1 if signal is Signal.RAISED else 0,
        calm_since=calm_since if signal is Signal.CALM else None,
    )
    after = _become(timed, _held(timed, signal, patience))
    return after, _status(alarm, after)


def _held(alarm: Alarm, signal: Signal, patience: Patience) -> Signal:
    """Hold a signal against time."""
    if signal is Signal.RAISED and alarm.raised >= patience.evaluations:
        cooling = alarm.resolved_at is not None and alarm.at < alarm.resolved_at + COOLDOWN
        return signal if cooling else Signal.CONFIRMED
    if alarm.calm_since is not None and alarm.at >= alarm.calm_since + patience.hold:
        return Signal.CLEARED
    return signal


def _become(alarm: Alarm, signal: Signal) -> Alarm:
    state = BECOMES[alarm.state][signal]
    if state in ACTIVE and not alarm.active:
        return replace(alarm, state=state, starts_at=alarm.at, resolved_at=None)
    if alarm.active and state not in ACTIVE:
        return replace(alarm, state=state, resolved_at=alarm.at)
    return replace(alarm, state=state)


def _status(before: Alarm, after: Alarm) -> Status | None:
    if before.state is after.state or not (before.active or after.active):
        return None
    if not after.active:
        return "resolved"
    return "firing" if after.state is State.FIRING else "nodata"
