"""What the headers of a reply say: how long to wait, and what the call cost."""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from scorers.judges.pricing import an_amount

_SECONDS = re.compile(r"[0-9]+(\.[0-9]+)?")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait. A date counts from the reply's own: no clock is needed.

    Parts of a second are against RFC 9110, and some endpoints send them all the same.
    """
    value = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    try:
        until, now = parsedate_to_datetime(value), parsedate_to_datetime(headers.get("date", ""))
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):
        return None


def cost_usd(headers: Mapping[str, str]) -> float | None:
    """Return what a proxy says that the call cost; what is no amount says nothing."""
    try:
        return an_amount(float(headers.get("x-litellm-response-cost", "")))
    except ValueError:
        return None
