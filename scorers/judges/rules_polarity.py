"""Whether a claim turns a sentence round: one of them says not, or they use opposite words."""

# ruff: noqa: SIM905 (lists of words)

from collections.abc import Iterable

from scorers.text.terms import Term, stem

_NEGATIONS = frozenset(
    "no not never none neither nor without cannot can't won't don't doesn't didn't isn't aren't"
    " wasn't weren't hasn't haven't couldn't wouldn't shouldn't unable nicht kein keine keinen"
    " keinem keiner nie niemals ohne weder ne pas jamais sans nunca sin".split()
)
_OPPOSITES = """
    increase decrease|rise fall|rose fell|gain lose|win lose|won lost|more less|more fewer
    higher lower|high low|before after|first last|always never|include exclude|allow forbid
    allowed prohibited|required optional|open closed|enable disable|free paid|early late
    above below|maximum minimum|best worst|accept reject|success failure|import export|buy sell
    male female|north south|east west|old new|hot cold
    mehr weniger|vor nach|immer nie|erlaubt verboten|offen geschlossen|steigen fallen|stieg fiel
    hoch niedrig|höher niedriger|maximal mindestens|kostenlos kostenpflichtig
"""
_PAIRS = [pair.split() for pair in _OPPOSITES.strip().replace("\n", "|").split("|")]
_OPPOSITES_OF: dict[str, set[str]] = {}
for _one, _other in _PAIRS:
    _OPPOSITES_OF.setdefault(stem(_one), set()).add(stem(_other))
    _OPPOSITES_OF.setdefault(stem(_other), set()).add(stem(_one))


def turned_round(claim: Iterable[Term], sentence: Iterable[Term]) -> bool:
    """Say whether exactly one of the two denies, or a word of the one opposes one of the other.

    An opposite counts only where the sentence lacks the claim's word and the claim the sentence's.
    """
    said, given = list(claim), list(sentence)
    if _denies(said) != _denies(given):
        return True
    claimed = {word.stem for word in said}
    held = {word.stem for word in given}
    return any(
        not _OPPOSITES_OF[word].isdisjoint(held - claimed)
        for word in claimed - held
        if word in _OPPOSITES_OF
    )


def _denies(words: Iterable[Term]) -> bool:
    return any(word.text.casefold().replace("\u2019", "'") in _NEGATIONS for word in words)
