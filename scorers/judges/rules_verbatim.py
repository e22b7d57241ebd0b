"""Claims in scripts without spaces: told only where they stand in the evidence word for word.

There a pair of characters is compared, not a word: a negation or another number word between two
equal pairs would pass unseen.
"""

from scorers.text.terms import is_unspaced

_DENIALS = frozenset("不没沒未非无無否勿莫別别")


def beyond_words(claim: str, sentence: str) -> bool:
    """Say whether words alone cannot tell that the sentence says the claim.

    They can in a script with spaces; in another if the claim stands in the sentence as it is, and
    what stands around it denies nothing.
    """
    if not is_unspaced(claim):
        return False
    before, found, after = _letters(sentence).partition(_letters(claim))
    return not found or not _DENIALS.isdisjoint(before + after)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
