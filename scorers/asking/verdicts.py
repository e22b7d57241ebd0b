"""Reading verdicts on claims: by the names that they give, or else by their order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scorers.asking.reading import a_list, a_word, an_explanation, an_object
from scorers.contract import InvalidReplyError, Judgement, Verdict
from scorers.evidence.quoting import folded
from scorers.questions import Evidence, Question, VerifyClaims

_Texts = Sequence[tuple[str, str]]

VERDICTS: tuple[Verdict, ...] = ("yes", "no", "unsure")


def verify(about: VerifyClaims, *, row: str) -> Question[tuple[Judgement, ...]]:
    """Ask for one verdict on each claim, in order."""
    return Question(about=about, read=_Reader(about, row, given={}).read, row=row)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the verdicts on the claims that are not `given` yet, and joins them to those that are.

    Where every verdict names its claim, and some are missing, only those are asked for again, by
    the same numbers.
    """

    about: VerifyClaims
    row: str
    given: Mapping[int, Judgement]

    def read(self, reply: object) -> tuple[Judgement, ...]:
        """Return the judgements on all claims. Raises InvalidReplyError."""
        wanted = [number for number, _ in self.about.numbered if number not in self.given]
        verdicts = [an_object(v, "each verdict") for v in a_list(an_object(reply), "verdicts")]
        quoting = any(verdict.get("quote") for verdict in verdicts)
        texts = _folded(self.about.evidence, quoting=quoting)
        judgements = [judgement(verdict, texts) for verdict in verdicts]
        given = {**self.given, **dict(zip(named(verdicts, wanted), judgements, strict=True))}
        missing = [number for number in wanted if number not in given]
        if missing:
            raise InvalidReplyError(f"verdicts are missing: {missing}", rest=self._rest(given))
        return tuple(given[number] for number, _ in self.about.numbered)

    def _rest(self, given: Mapping[int, Judgement]) -> Question[tuple[Judgement, ...]]:
        left = [(number, claim) for number, claim in self.about.numbered if number not in given]
        about = replace(
            self.about,
            claims=tuple(claim for _, claim in left),
            numbers=tuple(number for number, _ in left),
        )
        return Question(about=about, read=replace(self, given=given).read, row=self.row)


def named(verdicts: Sequence[Mapping[str, object]], numbers: Sequence[int]) -> list[int]:
    """Return the number of the claim that each verdict is about.

    All name one, by `id` or `claim`, distinct and known; or none does, and there is exactly one a
    claim, in order. Raises InvalidReplyError for everything else.
    """
    names = [_name(verdict) for verdict in verdicts]
    if all(name is None for name in names):
        if len(verdicts) != len(numbers):
            raise InvalidReplyError(f"there must be {len(numbers)} verdicts, one a claim")
        return list(numbers)
    known = [name for name in names if name in numbers]
    if len(set(known)) < len(verdicts):
        raise InvalidReplyError(f"each verdict must name another claim of {list(numbers)} as id")
    return [name for name in known if name is not None]


def _name(verdict: Mapping[str, object]) -> int | None:
    """Return the number that a verdict names; a `claim` that repeats the text is no name."""
    for key in ("id", "claim"):
        value = verdict.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    name = verdict.get("id")
    return int(name) if isinstance(name, str) and name.isascii() and name.isdigit() else None


def judgement(verdict: Mapping[str, object], texts: _Texts) -> Judgement:
    """Read one verdict; `texts` is the evidence, folded. A quote that is not there: unsure."""
    word = a_word(verdict.get("verdict"), VERDICTS, "verdict")
    reason = an_explanation(verdict, "reason")
    quote = an_explanation(verdict, "quote").strip() or None
    key = _holder(quote, texts, named_key=verdict.get("source"))
    if quote is not None and key is None:
        return Judgement("unsure", reason=reason, quote=quote, flags=("quote_mismatch",))
    return Judgement(word, reason=reason, quote=quote, evidence_key=key)


def found_in(quote: str | None, evidence: Sequence[Evidence], *, named_key: object) -> str | None:
    """Return the key of the piece that holds the quote: the named one where it does.

    Without a quote it is the named piece, if there is one of that name.
    """
    return _holder(quote, _folded(evidence, quoting=quote is not None), named_key=named_key)


def _folded(evidence: Sequence[Evidence], *, quoting: bool) -> _Texts:
    """Return the pieces by key, with the texts where a quote is looked for in them."""
    return [(piece.key, folded(piece.text) if quoting else "") for piece in evidence]


def _holder(quote: str | None, texts: _Texts, *, named_key: object) -> str | None:
    wanted = None if quote is None else folded(quote)
    holding = [key for key, text in texts if wanted is None or (wanted and wanted in text)]
    if isinstance(named_key, str) and named_key in holding:
        return named_key
    return holding[0] if wanted is not None and holding else None
