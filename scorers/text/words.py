"""How long a text is in words, also where a script puts no space between them."""

import re

_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff]"
)
_SPACED = re.compile(r"\S+")


def count_words(text: str) -> int:
    """Return the number of words: white-space tokens that hold a letter or a digit.

    In scripts without spaces two characters are one word.
    """
    letters, rest = 0, text
    if found := _UNSPACED.findall(text):
        letters = sum(letter.isalnum() for letter in found)
        rest = _UNSPACED.sub("", text)
    spaced = sum(any(map(str.isalnum, token)) for token in _SPACED.findall(rest))
    return spaced + letters // 2
