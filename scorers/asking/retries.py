"""The one retry policy: what may be tried again, how often, and how long to wait before."""

import re

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    stop_before_delay,
)
from tenacity.stop import stop_base
from tenacity.wait import wait_base, wait_random_exponential

from scorers.contract import JudgeUnavailableError
from scorers.parameters import whole

MOST_RETRIES = 5

BACK_OFF = wait_random_exponential(multiplier=0.5, max=10)
"""Seconds between attempts: random in a window that doubles."""

_TRANSIENT = re.compile(
    "timeout|connection|rate_limited|empty_response|invalid_output|truncated|http_408|http_425|http_5(?!01)[0-9]{2}"
)


def transient(error: BaseException) -> bool:
    """Say whether the same call may go better: no refused request, and never a bug of our own."""
    if not isinstance(error, JudgeUnavailableError) or error.final:
        return False
    return _TRANSIENT.fullmatch(error.error.cause or "") is not None


def attempts(
    name: str,
    retries: int,
    *,
    back_off: wait_base = BACK_OFF,
    patience_seconds: float | None = None,
) -> AsyncRetrying:
    """Return the attempts of one call: the first and at most `retries` (0 to 5) more.

    None begins later than `patience_seconds` after the first, whatever the other side asks for.

    The last error is raised as it is. `name` is the parameter's, in case its value is refused.
    """
    whole(name, retries, least=0, most=MOST_RETRIES)

    def wait(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after_seconds if isinstance(error, JudgeUnavailableError) else None
        return max(back_off(state), asked or 0.0)

    stop: stop_base = stop_after_attempt(1 + retries)
    if patience_seconds is not None:
        stop |= stop_before_delay(patience_seconds)
    return AsyncRetrying(
        retry=retry_if_exception(transient),
        stop=stop,
        wait=wait,
        reraise=True,
    )
