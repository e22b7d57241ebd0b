"""Asking whether cited evidence supports a sentence, and reading the reply."""

from scorers.asking.reading import a_number, an_explanation, an_object
from scorers.asking.verdicts import found_in
from scorers.contract import Judgement
from scorers.questions import Question, SupportSentence

_SCALE = 10


def support(about: SupportSentence, *, row: str) -> Question[Judgement]:
    """Ask for the support of one sentence. A text judge replies `{reason, score}`, 0 to 10."""

    def read(reply: object) -> Judgement:
        said = an_object(reply)
        share = a_number(said.get("score"), "score", least=0, most=_SCALE) / _SCALE
        quote = an_explanation(said, "quote").strip() or None
        source = found_in(quote, about.evidence, named_key=said.get("source"))
        return Judgement(
            verdict="yes" if share >= about.threshold else "unsure",
            support=share,
            reason=an_explanation(said, "reason"),
            evidence_key=source,
            quote=quote,
            flags=("quote_mismatch",) if quote and source is None else (),
        )

    return Question(about=about, read=read, row=row)
