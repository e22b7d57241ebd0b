"""When an endpoint refuses everyone, asking on is of no use: a state machine that holds no clock.

closed -> open    after failures in a row that no other question would have been spared
open   -> closed  when a question is answered; one may try after each pause, and pauses grow
"""

import re
from dataclasses import dataclass, field

FAILURES = 3
"""In a row: one alone may be about its own question."""

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 1.0, 60.0

_FOR_ALL = re.compile("http_(401|402|403|404|410)|private_address")
_QUOTA = re.compile("quota|billing|credit", re.IGNORECASE)


def concerns_all(cause: str | None, detail: str = "") -> bool:
    """Say whether a failure is the account's, the model's or the address's: every call's."""
    if cause == "rate_limited":
        return bool(_QUOTA.search(detail))
    return cause is not None and bool(_FOR_ALL.fullmatch(cause))


@dataclass(slots=True)
class Breaker:
    """Says whether a question may be asked now. Times are seconds of any one clock."""

    _failures: int = field(default=0, init=False)
    _pause: float = field(default=FIRST_PAUSE_SECONDS, init=False)
    _until: float | None = field(default=None, init=False)
    _trying: bool = field(default=False, init=False)

    @property
    def open(self) -> bool:
        """Whether all but one question a pause must wait."""
        return self._until is not None

    def wait_seconds(self, now: float) -> float:
        """Return how long to wait before asking this again; 0: go ahead.

        While it is open, who is told to go ahead is the one that tries. If nothing is heard of that
        one, another may after a pause.
        """
        if self._until is None:
            return 0.0
        if now < self._until:
            return self._until - now
        self._trying = True
        self._until = now + self._pause
        return 0.0

    def failed(self, now: float) -> bool:
        """Note a failure that concerns all. Returns whether this opened it."""
        self._failures += 1
        if self._until is None:
            if self._failures < FAILURES:
                return False
            self._pause = FIRST_PAUSE_SECONDS
            self._until = now + self._pause
            return True
        if self._trying:  # else a question that was under way when it opened
            self._trying = False
            self._pause = min(2 * self._pause, LONGEST_PAUSE_SECONDS)
            self._until = now + self._pause
        return False

    def answered(self) -> bool:
        """Note an answer. Returns whether this closed it."""
        was_open, self._until = self.open, None
        self._failures, self._trying = 0, False
        return was_open
