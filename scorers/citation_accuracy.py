"""Citation accuracy: do the sources that an answer cites exist, and do they say what it says?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from schemas.score import Breakdown, InvalidInput, NotScorable, Outcome, Scored
from schemas.trace import RagTrace
from scorers import inputs, parameters
from scorers.asking import ask_all
from scorers.claim_rows import JudgedClaim
from scorers.contract import Judge, Judgement
from scorers.questions import Evidence, SupportSentence
from scorers.support import support
from scorers.text.citations import CitedAnswer, CitedSentence, read_citations

_NAME = "citation_accuracy"
_FABRICATED = Judgement(
    "unsure",
    support=0.0,
    reason="cites a source that the record does not have",
    decided_by=_NAME,
)
_EMPTY = Judgement(
    "unsure",
    support=0.0,
    reason="the cited sources hold no text",
    flags=("empty_evidence",),
    decided_by=_NAME,
)


@dataclass(frozen=True, slots=True)
class CitationAccuracy:
    """The harmonic mean of precision (of what is cited) and recall (of what should be).

    `threshold` in [0, 1] is the support from which a sentence counts as supported, `pass_at` the
    precision below which an answer is bad. Sentences under `min_words` owe no citation. At most
    `in_flight` questions of one answer are under way at once.
    """

    threshold: float = 0.5
    pass_at: float = 0.5
    min_words: int = 4
    superscripts: bool = False
    uncited_is_bad: bool = False
    in_flight: int = 8
    abstentions: tuple[str, ...] = inputs.ABSTENTIONS
    name: str = _NAME
    version: str = "1"

    def __post_init__(self) -> None:
        parameters.number("threshold", self.threshold, least=0, most=1)
        parameters.number("pass_at", self.pass_at, least=0, most=1)
        parameters.whole("min_words", self.min_words, least=0)
        parameters.whole("in_flight", self.in_flight, least=1)

    @property
    def settings(self) -> Mapping[str, JsonValue]:
        """The parameters that can change a verdict."""
        return {
            "abstentions": list(self.abstentions),
            "min_words": self.min_words,
            "superscripts": self.superscripts,
            "threshold": self.threshold,
        }

    async def score(self, trace: RagTrace, judge: Judge) -> Outcome:
        """Check the input, answer what needs no judge, ask about each cited sentence, count."""
        if refused := inputs.invalid(trace, "citations", "contexts"):
            return refused
        evidence = _evidence(trace)
        if isinstance(evidence, InvalidInput):
            return evidence
        answer = trace.answer or ""
        if inputs.abstains(answer, self.abstentions):
            return _abstained(self.threshold)
        read = read_citations(answer, evidence, superscripts=self.superscripts)
        if not read.cited:
            return self._uncited(answer, read)
        rows = await self._judge_rows(read.cited, evidence, judge, row=trace.trace_id)
        return self._tally(rows, read, judge.identity.name)

    def bad(self, verdict: Scored) -> bool:
        """A fabricated key or too low a precision; no citation at all only where so configured."""
        if "abstained" in verdict.flags:
            return False
        if "uncited" in verdict.flags:
            return self.uncited_is_bad
        counts = verdict.counts
        return counts["fabricated_keys"] > 0 or counts["supported"] / counts["cited"] < self.pass_at

    async def _judge_rows(
        self, cited: Sequence[CitedSentence], evidence: Mapping[str, str], judge: Judge, *, row: str
    ) -> "list[_Row]":
        """Ask about the sentences whose sources exist and hold text; the others need no judge."""
        pieces = [_pieces(sentence, evidence) for sentence in cited]
        questions = [
            support(SupportSentence(sentence.text, texts, self.threshold), row=row)
            for sentence, texts in zip(cited, pieces, strict=True)
            if texts
        ]
        answers = iter(await ask_all(map(judge.ask, questions), at_once=self.in_flight))
        return [
            _Row(sentence, next(answers).value if texts else _unasked(sentence))
            for sentence, texts in zip(cited, pieces, strict=True)
        ]

    def _uncited(self, answer: str, read: CitedAnswer) -> Scored:
        owed = len(read.eligible(min_words=self.min_words))
        flags = ["uncited"] if answer.strip() else ["empty_answer", "uncited"]
        flags += ["dangling"] if read.dangling else []
        verdict = Scored(
            score=0.0,
            normalized=0.0,
            label=flags[0],
            counts=_counts([], owed=owed, uncited=owed),
            flags=tuple(flags),
            breakdown={
                "sentences": owed,
                "cited_sentences": 0,
                "sentence_rows": [],
                "fabricated_sentences": 0,
                "fabricated_keys": 0,
                "uncited_sentences": owed,
                "abstained": False,
                "passed": self.threshold <= 0,
            },
        )
        return verdict.model_copy(update={"bad": self.bad(verdict)})

    def _tally(self, rows: "Sequence[_Row]", read: CitedAnswer, judge: str) -> Outcome:
        owed = len(read.eligible(min_words=self.min_words))
        counts = _counts(rows, owed=owed, uncited=owed - len(rows))
        shown: list[JsonValue] = [row.shown(judge) for row in rows]
        if counts["cited"] == 0:
            breakdown: Breakdown = {"sentence_rows": shown, "undecided": counts["undecided"]}
            return NotScorable(reason="undecided", breakdown=breakdown)
        precision = counts["supported"] / counts["cited"]
        recall = counts["supported"] / counts["eligible"]
        score = harmonic_mean(precision, recall)
        supports = [row.judgement.support for row in rows if row.judgement.support is not None]
        verdict = Scored(
            score=score,
            normalized=score,
            label=_label(counts),
            support=min(supports, default=None),
            counts=counts,
            flags=tuple(dict.fromkeys(flag for row in rows for flag in row.judgement.flags)),
            breakdown={
                "citation_precision": precision,
                "citation_recall": recall,
                "cited_sentences": counts["cited"],
                "supported_sentences": counts["supported"],
                "sentences": counts["eligible"],
                "sentence_rows": shown,
                "fabricated_sentences": counts["fabricated_sentences"],
                "fabricated_keys": counts["fabricated_keys"],
                "uncited_sentences": counts["uncited_sentences"],
                "undecided": counts["undecided"],
                "abstained": False,
                "passed": score >= self.threshold,
            },
        )
        return verdict.model_copy(update={"bad": self.bad(verdict)})


@dataclass(frozen=True, slots=True)
class _Row:
    """A cited sentence and what was judged of it."""

    sentence: CitedSentence
    judgement: Judgement

    @property
    def verdict(self) -> str:
        return self.judgement.verdict

    @property
    def fabricated(self) -> bool:
        return bool(self.sentence.unknown)

    def shown(self, judge: str) -> dict[str, JsonValue]:
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


def _evidence(trace: RagTrace) -> dict[str, str] | InvalidInput:
    """Return the text behind each key: the recorded citations, else the contexts by their keys."""
    if trace.citations is not None:
        return {key: text or "" for key, text in trace.citations.items()}
    if trace.contexts is None:
        return InvalidInput(reason="missing_citations")
    texts = {passage.key: passage.text for passage in trace.contexts}
    if len(texts) < len(trace.contexts):
        return InvalidInput(reason="duplicate_context_keys")
    return texts


def _pieces(sentence: CitedSentence, evidence: Mapping[str, str]) -> tuple[Evidence, ...]:
    """Return the texts that a sentence cites, each once, none blank; none for an invented key."""
    if sentence.unknown:
        return ()
    first: dict[str, str] = {}
    for key in sentence.keys:
        first.setdefault(evidence[key], key)
    return tuple(Evidence(key, text, "citations") for text, key in first.items() if text.strip())


def _unasked(sentence: CitedSentence) -> Judgement:
    return _FABRICATED if sentence.unknown else _EMPTY


def _counts(rows: Sequence[_Row], *, owed: int, uncited: int) -> dict[str, int]:
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
    }


def _label(counts: Mapping[str, int]) -> str:
    if counts["fabricated_keys"]:
        return "fabricated"
    return "supported" if counts["supported"] == counts["cited"] else "unsupported"


def _abstained(threshold: float) -> Scored:
    return Scored(
        score=1.0,
        normalized=1.0,
        label="abstained",
        counts=_counts([], owed=0, uncited=0),
        flags=("abstained",),
        breakdown={"abstained": True, "sentence_rows": [], "passed": threshold <= 1},
    )
