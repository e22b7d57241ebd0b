"""The one retry policy: what may be tried again, how often, and how long to wait before."""

import re

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt
from tenacity.wait import wait_base, wait_random_exponential

from scorers.contract import JudgeUnavailableError
from scorers.parameters import whole

MOST_RETRIES = 5

BACK_OFF = wait_random_exponential(multiplier=0.5, max=10)
"""Seconds between attempts: random in a window that doubles."""

_TRANSIENT = re.compile(
    "timeout|connection|rate_limited|empty_response|invalid_output|truncated|http_408|http_5[0-9]{2}"
)


def transient(error: BaseException) -> bool:
    """Say whether the same call may go better: no refused request, and never a bug of our own."""
    return isinstance(error, JudgeUnavailableError) and bool(
        _TRANSIENT.fullmatch(error.error.cause or "")
    )


def attempts(name: str, retries: int, *, back_off: wait_base = BACK_OFF) -> AsyncRetrying:
    """Return the attempts of one call: the first and at most `retries` (0 to 5) more.

    The last error is raised as it is. `name` is the parameter's, in case its value is refused.
    """
    whole(name, retries, least=0, most=MOST_RETRIES)

    def wait(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after_seconds if isinstance(error, JudgeUnavailableError) else None
        return max(back_off(state), asked or 0.0)

    return AsyncRetrying(
        retry=retry_if_exception(transient),
        stop=stop_after_attempt(1 + retries),
        wait=wait,
        reraise=True,
    )
