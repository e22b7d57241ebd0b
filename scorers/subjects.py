"""The judged texts of a subject: what a trace brings, not what we or the settings say."""

from collections.abc import Callable
from dataclasses import replace

from pydantic import JsonValue

from schemas.trace import Turn
from scorers.questions import (
    AnswerCriterion,
    CompareAnswers,
    ConfirmContradiction,
    Evidence,
    ExplainBad,
    ExplainVerdicts,
    ExtractClaims,
    GradeAnswer,
    ScoreStatements,
    Subject,
    SupportSentence,
    VerifyClaims,
)

Change = Callable[[str], str]


def rewritten(about: Subject, change: Change) -> Subject:
    """Return the subject with every judged text changed, the evidence first."""
    match about:
        case VerifyClaims(claims=claims, evidence=evidence, question=asked):
            return replace(
                about,
                evidence=_pieces(evidence, change),
                turns=_turns(about.turns, change),
                question=_optional(asked, change),
                claims=tuple(map(change, claims)),
            )
        case SupportSentence(sentence=sentence, evidence=evidence):
            return replace(about, evidence=_pieces(evidence, change), sentence=change(sentence))
        case ScoreStatements(answer=answer, evidence=evidence, question=question):
            return replace(
                about,
                evidence=_pieces(evidence, change),
                turns=_turns(about.turns, change),
                question=change(question),
                answer=change(answer),
            )
        case AnswerCriterion() | ExplainBad():
            return _whole_answer(about, change)
        case _:
            return _without_evidence(about, change)


def _whole_answer(about: AnswerCriterion | ExplainBad, change: Change) -> Subject:
    evidence = None if about.evidence is None else _pieces(about.evidence, change)
    question, answer = _optional(about.question, change), change(about.answer)
    if isinstance(about, AnswerCriterion):
        return replace(about, evidence=evidence, question=question, answer=answer)
    findings = {key: _within(value, change) for key, value in about.findings.items()}
    return replace(about, evidence=evidence, question=question, answer=answer, findings=findings)


def _without_evidence(
    about: ExtractClaims | ExplainVerdicts | CompareAnswers | GradeAnswer | ConfirmContradiction,
    change: Change,
) -> Subject:
    match about:
        case ExtractClaims(answer=answer):
            return replace(about, answer=change(answer))
        case ExplainVerdicts(verdicts=verdicts):
            rows = tuple((change(text), word, change(why)) for text, word, why in verdicts)
            return replace(about, verdicts=rows)
        case CompareAnswers(question=question, base=base, other=other):
            return CompareAnswers(change(question), change(base), change(other))
        case ConfirmContradiction(claim=claim, reference=reference):
            return ConfirmContradiction(claim=change(claim), reference=change(reference))
        case GradeAnswer(question=asked, answer=answer, reference=reference):
            return replace(
                about,
                question=_optional(asked, change),
                answer=change(answer),
                reference=change(reference),
            )


def _pieces(evidence: tuple[Evidence, ...], change: Change) -> tuple[Evidence, ...]:
    return tuple(replace(piece, text=change(piece.text)) for piece in evidence)


def _turns(turns: tuple[Turn, ...], change: Change) -> tuple[Turn, ...]:
    return tuple(Turn(role=turn.role, text=change(turn.text)) for turn in turns)


def _within(value: JsonValue, change: Change) -> JsonValue:
    """Return JSON with every text of it changed; keys are our words."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_within(one, change) for one in value]
    if isinstance(value, dict):
        return {key: _within(one, change) for key, one in value.items()}
    return value


def _optional(text: str | None, change: Change) -> str | None:
    return None if text is None else change(text)


def size(about: Subject) -> int:
    """Return the bytes (UTF-8) of a subject's judged texts."""
    found = 0

    def weigh(text: str) -> str:
        nonlocal found
        found += len(text.encode())
        return text

    rewritten(about, weigh)
    return found


def longest(about: Subject) -> int:
    """Return the characters of the longest judged text of a subject."""
    found = 0

    def measure(text: str) -> str:
        nonlocal found
        found = max(found, len(text))
        return text

    rewritten(about, measure)
    return found
