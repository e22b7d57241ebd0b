"""What endpoints mean by refusing a request, where the status alone does not tell."""

import re

from scorers.judges.http import CallFailedError

_MAY_BE_LENGTH = frozenset({"http_400", "http_413", "http_422"})
_TOO_LONG = re.compile(
    r"context[_ ](length|window|size)|exceed_context|string_above_max_length"
    r"|(prompt|input|state|message|request|entity|payload|content)s? (is |are )?too (long|large)"
    r"|too many (input |prompt )?tokens|exceeds? the (maximum|max|limit)[\w ]* tokens",
    re.IGNORECASE,
)
"""How endpoints say so: providers, gateways and local servers, each in its own words."""


def over_the_window(failed: CallFailedError) -> bool:
    """Say whether an endpoint refused a request because it is longer than the model can read."""
    return failed.cause in _MAY_BE_LENGTH and bool(_TOO_LONG.search(failed.detail))
