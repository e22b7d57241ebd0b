"""The words of a text as they are compared: folded, without endings, small words left out."""

# ruff: noqa: SIM905 (lists of words)

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_TERM = re.compile(
    r"[^\W\d_](?:\.[^\W\d_]){1,7}\.?(?!\w)"
    r"|[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]{1,200}"
    r"|[^\W_]{1,60}(?:['\u2019][^\W\d_]{1,20})?"
)
_UNSPACED = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
)
SMALL_WORDS = frozenset(
    """
    a an the and or but nor so if than then that this these those there here of to in on at by for
    from with without into onto over under about as is are was were be been being am do does did
    done has have had having will would shall should can could may might must not no it its he she
    they them his her hers their theirs we us our you your i me my mine who whom whose which what
    when where while how why also too very just only any some each both all more most such own same
    other up down out off again further during before after between through because until against
    s t am pm uhr o'clock
    der die das den dem des ein eine einen einem einer eines und oder aber doch sondern wenn als
    dass daß ob weil da so wie zu zum zur in im ins an am auf aus bei beim bis durch für gegen mit
    nach ohne seit um unter von vom vor über ist sind war waren sein bin bist wird werden wurde
    wurden worden hat haben hatte hatten habe kann können konnte konnten muss müssen soll sollen
    sollte darf dürfen nicht kein keine keinen keiner es er sie wir ihr ihre ihren ihrem ihrer ich
    sich man mich mir uns dich dir euch auch nur noch schon sehr mehr dieser diese dieses diesen
    diesem jeder jede jedes welche welcher hier dort dann denn
    le la les un une du de et ou mais donc ne pas en dans sur sous par pour avec sans est sont était
    été être a ont il elle ils elles nous vous je se sa son ses leur leurs ce cette ces que qui
    au aux
    el los las una unos del y o pero si no por para con sin es son era fue ser al lo su sus se que
    """.split()
)
_ENDINGS = tuple(
    "ations ation ments ment ingly edly ings ing ies ied ions ion ed ly en ern em er es est"
    " e s n y".split()
)
_LEAST_STEM = 4


class Term(NamedTuple):
    """A word of a text: as it is written, and the stem by which it is compared."""

    text: str
    stem: str
    start: int


def terms(text: str) -> Iterator[Term]:
    """Yield the words of a text in order, small words too. Linear in its length.

    Scripts without spaces yield pairs of characters.
    """
    for found in _TERM.finditer(text):
        word = found[0]
        if not word.isascii() and _UNSPACED.match(word):
            for at in range(max(1, len(word) - 1)):
                yield Term(word[at : at + 2], word[at : at + 2], found.start() + at)
        else:
            yield Term(word, stem(word), found.start())


def is_unspaced(text: str) -> bool:
    """Say whether some of it is in a script that puts no space between words."""
    return _UNSPACED.search(text) is not None


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the word without case, accents, stops inside and the commonest endings."""
    word = word.casefold().replace(".", "").partition("'")[0].partition("\u2019")[0]
    if not word.isascii():
        word = "".join(
            c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c)
        )
    while ending := _ending(word):
        word = word[: -len(ending)]
    return word[:-1] if word[-1:] == word[-2:-1] else word


def _ending(word: str) -> str:
    """Return the first ending that may go; none where too little of the word would be left."""
    room = len(word) - _LEAST_STEM
    return next((e for e in _ENDINGS if len(e) <= room and word.endswith(e)), "")
