"""Citation accuracy: do the sources that an answer cites exist, and do they say what it says?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from schemas.score import Breakdown, InvalidInput, NotScorable, Outcome, Scored
from schemas.trace import RagTrace
from scorers import parameters
from scorers.asking.support import support
from scorers.asking.together import ask_all
from scorers.contract import Judge
from scorers.evidence import inputs
from scorers.questions import SupportSentence
from scorers.tallies.citations import NAME, Row, count, harmonic_mean, label, pieces, unasked
from scorers.text.citations import CitedAnswer, CitedSentence, read_citations


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
    name: str = NAME
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
    ) -> list[Row]:
        """Ask about the sentences whose sources exist and hold text; the others need no judge."""
        evidenced = [pieces(sentence, evidence) for sentence in cited]
        questions = [
            support(SupportSentence(sentence.text, texts, self.threshold), row=row)
            for sentence, texts in zip(cited, evidenced, strict=True)
            if texts
        ]
        answers = iter(await ask_all(map(judge.ask, questions), at_once=self.in_flight))
        return [
            Row(sentence, next(answers).value if texts else unasked(sentence))
            for sentence, texts in zip(cited, evidenced, strict=True)
        ]

    def _uncited(self, answer: str, read: CitedAnswer) -> Scored:
        owed = len(read.eligible(min_words=self.min_words))
        flags = ["uncited"] if answer.strip() else ["empty_answer", "uncited"]
        flags += ["dangling"] if read.dangling else []
        return Scored(
            score=0.0,
            normalized=0.0,
            label=flags[0],
            counts=count([], owed=owed, uncited=owed),
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

    def _tally(self, rows: Sequence[Row], read: CitedAnswer, judge: str) -> Outcome:
        owed = len(read.eligible(min_words=self.min_words))
        counts = count(rows, owed=owed, uncited=owed - len(rows))
        shown: list[JsonValue] = [row.shown(judge) for row in rows]
        if counts["cited"] == 0:
            breakdown: Breakdown = {"sentence_rows": shown, "undecided": counts["undecided"]}
            return NotScorable(reason="undecided", breakdown=breakdown)
        precision = counts["supported"] / counts["cited"]
        recall = counts["supported"] / counts["eligible"]
        score = harmonic_mean(precision, recall)
        supports = [row.judgement.support for row in rows if row.judgement.support is not None]
        return Scored(
            score=score,
            normalized=score,
            label=label(counts),
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


def _abstained(threshold: float) -> Scored:
    return Scored(
        score=1.0,
        normalized=1.0,
        label="abstained",
        counts=count([], owed=0, uncited=0),
        flags=("abstained",),
        breakdown={"abstained": True, "sentence_rows": [], "passed": threshold <= 1},
    )
