"""The cited sentences of an answer with what was judged of them, and the counts over them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from scorers.contract import Judgement
from scorers.questions import Evidence
from scorers.tallies.claims import JudgedClaim, escalated
from scorers.text.citations import CitedSentence

NAME = "citation_accuracy"
"""The scorer that decides where no judge must be asked."""

_FABRICATED = Judgement(
    "unsure",
    support=0.0,
    reason="cites a source that the record does not have",
    decided_by=NAME,
)
_EMPTY = Judgement(
    "unsure",
    support=0.0,
    reason="the cited sources hold no text",
    flags=("empty_evidence",),
    decided_by=NAME,
)


@dataclass(frozen=True, slots=True)
class Row:
    """A cited sentence and what was judged of it."""

    sentence: CitedSentence
    judgement: Judgement

    @property
    def verdict(self) -> str:
        """What the judge, or the absence of a source, says."""
        return self.judgement.verdict

    @property
    def fabricated(self) -> bool:
        """Whether it cites a key that the record does not have."""
        return bool(self.sentence.unknown)

    def shown(self, judge: str) -> dict[str, JsonValue]:
        """Return the row as events show it; `supported` is null where the judge cannot tell."""
        span = (self.sentence.start, self.sentence.end)
        row = JudgedClaim(self.sentence.text, self.judgement, span).row(judge)
        row["keys"] = [*self.sentence.keys, *self.sentence.unknown]
        row["unknown"] = list(self.sentence.unknown)
        row["fabricated"] = self.fabricated
        row["supported"] = None if self.verdict == "undecided" else self.verdict == "yes"
        return row


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F1; 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def pieces(sentence: CitedSentence, evidence: Mapping[str, str]) -> tuple[Evidence, ...]:
    """Return the texts that a sentence cites, each once, none blank; none for an invented key."""
    if sentence.unknown:
        return ()
    first: dict[str, str] = {}
    for key in sentence.keys:
        first.setdefault(evidence[key], key)
    return tuple(Evidence(key, text, "citations") for text, key in first.items() if text.strip())


def unasked(sentence: CitedSentence) -> Judgement:
    """Return the judgement on a sentence whose sources are invented or hold nothing."""
    return _FABRICATED if sentence.unknown else _EMPTY


def count(rows: Sequence[Row], *, owed: int, uncited: int) -> dict[str, int]:
    """Count what panes add up. What is undecided is missing data, and in no other figure."""
    undecided = sum(row.verdict == "undecided" for row in rows)
    return {
        "cited": len(rows) - undecided,
        "supported": sum(row.verdict == "yes" for row in rows),
        "eligible": owed - undecided,
        "fabricated_sentences": sum(row.fabricated for row in rows),
        "fabricated_keys": len({key for row in rows for key in row.sentence.unknown}),
        "uncited_sentences": uncited,
        "undecided": undecided,
        **escalated(row.judgement for row in rows),
    }


def label(counts: Mapping[str, int]) -> str:
    """Return the one word for an answer that cites."""
    if counts["fabricated_keys"]:
        return "fabricated"
    return "supported" if counts["supported"] == counts["cited"] else "unsupported"
