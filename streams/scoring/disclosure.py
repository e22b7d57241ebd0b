"""How much judged text an event publishes: claims and quotes cut short, none of it, or all."""

import hashlib
from typing import Literal

from pydantic import JsonValue

from schemas.score import NotScorable, Outcome, Scored

Disclosure = Literal["claims", "none", "full"]

MOST = 300
"""Characters of a text that `claims` lets through."""

_TEXTS = frozenset(
    {
        "summary",
        "errors_found",
        "justification",
        "fact",
        "near",
        "facts",
        "text",
        "claim",
        "quote",
        "reason",
        "explanation",
        "evidence",
        "statements",
    }
)

_KEYS = frozenset({"key", "keys", "unknown"})
"""What passages are called: titles or addresses, perhaps, so `none` hides them too."""


def disclosed(outcome: Outcome, disclosure: Disclosure) -> Outcome:
    """Return the outcome with the judged text that may leave. Numbers and labels are untouched."""
    if disclosure == "full" or not isinstance(outcome, Scored | NotScorable):
        return outcome
    update: dict[str, object] = {}
    if outcome.breakdown:
        parts = outcome.breakdown.items()
        update["breakdown"] = {name: part(name, value, disclosure) for name, value in parts}
    if isinstance(outcome, Scored) and outcome.reason is not None:
        update["reason"] = _shown(outcome.reason, disclosure)
    return outcome.model_copy(update=update) if update else outcome


def part(name: str, value: JsonValue, disclosure: Disclosure) -> JsonValue:
    """Return what stands under a name of a breakdown, with the text that may leave."""
    texts = _TEXTS | _KEYS if disclosure == "none" else _TEXTS
    return value if disclosure == "full" else _walk(value, disclosure, text=name in texts)


def _walk(value: JsonValue, disclosure: Disclosure, *, text: bool) -> JsonValue:
    if isinstance(value, dict):
        return {name: part(name, inner, disclosure) for name, inner in value.items()}
    if isinstance(value, list):
        return [_walk(v, disclosure, text=text) for v in value]
    return _shown(value, disclosure) if text and isinstance(value, str) else value


def _shown(text: str, disclosure: Disclosure) -> str:
    if disclosure == "none":
        digest = hashlib.blake2b(text.encode(errors="replace"), digest_size=8).hexdigest()
        return f"blake2b:{digest} ({len(text)} characters)" if text else ""
    return text if len(text) <= MOST else text[: MOST - 1] + "…"
