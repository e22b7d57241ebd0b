"""The rules of a grade: what a reply must hold, and the names of those that it breaks."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import get_args

from scorers.answers import AccuracyVerdict, Scope
from scorers.evidence.quoting import folded, quoted_from
from scorers.questions import GradeAnswer

VERDICTS: tuple[AccuracyVerdict, ...] = get_args(AccuracyVerdict)
SCOPES: tuple[Scope, ...] = get_args(Scope)
WITH_EVIDENCE = frozenset({"fully_supported", "partially_supported"})

LEAST, MOST = 1, 5
"""The judge's scale. 0 is ours, for no answer, and no judge may give it."""

SHORTEST_SUMMARY = 20
WORDS_IN_A_ROW = 3

_PLACE = re.compile(r"(?:sentence|line|paragraph) [1-9][0-9]{0,5}")
_CLAIM_NUMBER = re.compile(r"\bclaims? #?([1-9][0-9]{0,5})(?![0-9])")
_GENERIC = frozenset(
    {
        *("correct", "incorrect", "match", "matches", "supported", "not supported", "ok"),
        *("n/a", "see above", "as stated", "yes", "no"),
    }
)


def violations(reply: Mapping[str, object], about: GradeAnswer) -> list[str]:
    """Return the name of every rule that the reply breaks, as often as it does."""
    claims = _entries(reply.get("claim_verifications"))
    texts = [claim.get("claim_text") for claim in claims if isinstance(claim, dict)]
    verbatim = [text for text in texts if _verbatim(text, about.answer)]
    found = [rule for claim in claims for rule in _of_claim(claim, about)]
    if not claims:
        found.append("claims_empty")
    found += _of_score(reply.get("factual_accuracy_score"))
    found += _of_justification(reply.get("score_justification"), verbatim, len(claims))
    found += _of_extras(reply)
    summary = reply.get("verdict_summary")
    if not isinstance(summary, str) or len(summary.strip()) < SHORTEST_SUMMARY:
        found.append("summary_short")
    return found


def _entries(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else []


def _verbatim(text: object, answer: str) -> bool:
    return isinstance(text, str) and bool(text.strip()) and text in answer


def _of_score(score: object) -> list[str]:
    if isinstance(score, bool) or not isinstance(score, int):
        return ["score_type"]
    return [] if LEAST <= score <= MOST else ["score_range"]


def _of_claim(claim: object, about: GradeAnswer) -> list[str]:
    if not isinstance(claim, dict):
        return ["claim_schema"]
    found = _of_explanation(claim.get("explanation"))
    if not _verbatim(claim.get("claim_text"), about.answer):
        found.append("claim_not_verbatim")
    if claim.get("scope") not in (None, *SCOPES):
        found.append("claim_schema")
    verdict = claim.get("verdict")
    if verdict not in VERDICTS:
        return [*found, "verdict_enum"]
    return found + _of_evidence(verdict, claim.get("evidence"), about.reference)


def _of_evidence(verdict: str, evidence: object, reference: str) -> list[str]:
    if verdict not in WITH_EVIDENCE:
        return [] if evidence is None else ["evidence_forbidden"]
    if evidence is None or (isinstance(evidence, str) and not evidence.strip()):
        return ["evidence_required"]
    stands = isinstance(evidence, str) and (
        quoted_from(reference, evidence) or _PLACE.fullmatch(folded(evidence).rstrip("."))
    )
    return [] if stands else ["evidence_not_in_reference"]


def _of_explanation(explanation: object) -> list[str]:
    if not isinstance(explanation, str) or not explanation.strip():
        return ["explanation_empty"]
    phrase = explanation.strip().lower().removesuffix(".").rstrip()
    return ["explanation_generic"] if phrase in _GENERIC else []


def _of_justification(text: object, verbatim: Sequence[object], claims: int) -> list[str]:
    if not isinstance(text, str) or not text.strip():
        return ["justification_empty"]
    named = any(_names(folded(text), folded(str(claim))) for claim in verbatim)
    numbers = (int(number) for number in _CLAIM_NUMBER.findall(folded(text)))
    if named or (verbatim and any(number <= claims for number in numbers)):
        return []
    return ["justification_no_claim_reference"]


def _names(justification: str, claim: str) -> bool:
    """Say whether the claim occurs in the justification, or three of its words in a row do."""
    if claim in justification:
        return True
    words, said = claim.split(" "), f" {_words(justification)} "
    runs = zip(*(words[start:] for start in range(WORDS_IN_A_ROW)), strict=False)
    return any(f" {_words(' '.join(run))} " in said for run in runs)


def _words(text: str) -> str:
    return " ".join(word.strip(".,;:!?()[]{}") for word in text.split(" "))


def _of_extras(reply: Mapping[str, object]) -> list[str]:
    facts, errors = reply.get("required_facts"), reply.get("errors_found")
    holds: dict[str, Callable[[object], bool]] = {"facts_schema": _is_fact, "errors_schema": _text}
    return [
        rule
        for (rule, fits), value in zip(holds.items(), (facts, errors), strict=True)
        if value is not None and not (isinstance(value, list) and all(map(fits, value)))
    ]


def _text(value: object) -> bool:
    return isinstance(value, str)


def _is_fact(value: object) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("fact"), str)
        and isinstance(value.get("present"), bool)
    )
