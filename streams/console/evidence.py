"""Claims and cited sentences as a person reads them, from any scorer's breakdown. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pydantic import JsonValue


@dataclass(frozen=True, slots=True)
class ClaimView:
    """A claim or cited sentence as a person reads it."""

    text: str
    verdict: str
    good: bool | None
    support: float | None
    decided_by: str
    evidence: str
    flags: tuple[str, ...]
    reason: str


def claims_of(breakdown: Mapping[str, JsonValue]) -> list[ClaimView]:
    """Return the claims (or cited sentences) of any scorer's breakdown, in their order.

    A criterion's question is read as the one claim, with the answer that holds as its verdict.
    """
    asked = breakdown.get("criterion")
    if isinstance(asked, dict):
        return [_criterion(asked)]
    rows = breakdown.get("claims") or breakdown.get("sentence_rows") or []
    return [_view(row) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


_WORDS: Mapping[str, tuple[str, bool | None]] = {
    "yes": ("supported", True),
    "no": ("contradicted", False),
    "unsure": ("not in the evidence", False),
    "undecided": ("undecided", None),
    "fully_supported": ("supported", True),
    "partially_supported": ("partly supported", None),
    "contradicted": ("contradicted", False),
    "unsupported": ("not in the reference", False),
}


def _view(row: Mapping[str, JsonValue]) -> ClaimView:
    good: bool | None
    if row.get("fabricated"):
        word, good = f"cites {_keys(row)}, which does not exist", False
    elif "verdict" in row:
        word, good = _WORDS.get(str(row["verdict"]), (str(row["verdict"]), None))
    else:
        supported = row.get("supported") is True
        word, good = ("supported" if supported else f"not supported by {_keys(row)}"), supported
    support = row.get("support")
    flags = row.get("flags")
    return ClaimView(
        text=str(row.get("text") or row.get("claim") or ""),
        verdict=word,
        good=good,
        support=support if isinstance(support, float | int) else None,
        decided_by=str(row.get("decided_by") or ""),
        evidence=_evidence(row.get("evidence")),
        flags=tuple(map(str, flags)) if isinstance(flags, list) else (),
        reason=str(row.get("reason") or ""),
    )


def _criterion(asked: Mapping[str, JsonValue]) -> ClaimView:
    view, worth = _view({**asked, "text": asked.get("question")}), asked.get("worth")
    good = None if worth is None else worth == "good"
    return replace(view, verdict=str(asked.get("answer") or "undecided"), good=good)


def _keys(row: Mapping[str, JsonValue]) -> str:
    keys = row.get("keys")
    return ", ".join(f"[{key}]" for key in keys) if isinstance(keys, list) else "its source"


def _evidence(evidence: JsonValue) -> str:
    if not isinstance(evidence, dict) or not evidence.get("quote"):
        return ""
    return f"[{evidence.get('key')}] {evidence['quote']}"
