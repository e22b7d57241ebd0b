"""What e-mail addresses, phone numbers, IBANs and card numbers look like, and what only seems so.

Conservative, for a figure that is hidden can no longer be checked: dates, prices, ISBNs and order
numbers stay. Every repeat is bounded, so that no text takes more than linear time.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from scorers.redaction.checksums import luhn, mod_97

Span = tuple[int, int]
Find = Callable[[str], Iterator[Span]]

_EMAIL = re.compile(
    r"(?<![\w+%])[\w+%](?:[\w.+%'-]{0,62}[\w+%'-])?(?:@|%40)(?:[\w-]{1,63}\.){1,8}"
    r"(?:[^\W\d_]{2,24}|xn--[a-z0-9-]{2,59})(?![^\W_]|@)"
)
_IBAN = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Z]{2}[0-9]{2}([ \u00a0-])(?:[A-Z0-9]{4}\1){2,7}[A-Z0-9]{1,4}"
    r"|[A-Za-z]{2}[0-9]{2}[A-Za-z0-9]{11,30})(?![A-Za-z0-9])"
)
_CARD = re.compile(
    r"(?<![A-Za-z0-9])(?<![0-9]\.)(?:[0-9]{14,19}"
    r"|[0-9]{4}([ \u00a0-])[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?:\1[0-9]{3})?"
    r"|[0-9]{4}([ \u00a0-])[0-9]{6}\2[0-9]{4,5})(?![A-Za-z0-9])"
)
_ISSUED = re.compile(
    r"4[0-9]{15}(?:[0-9]{3})?|(?:5[1-5]|2[2-7])[0-9]{14}|3[47][0-9]{13}|3[068][0-9]{12}|6[0-9]{15,18}"
)
"""Beginnings and lengths that issuers use: no ISBN and no time in milliseconds is among them."""

_AWAY = r"(?<![\w+])(?<![0-9][.,:/-])"
_END = r"(?![\w])(?![.,:/-][0-9])"
# +49 30 1234567, +1 (555) 010-0199; or 0049 30 1234567, which without a gap would be any number
_ABROAD = re.compile(
    _AWAY + r"(?:\+[1-9][0-9]{0,2}(?:[ \u00a0./-]?\(?[0-9]{1,12}\)?){1,6}"
    r"|00[1-9][0-9]{0,2}(?:[ \u00a0/-]\(?[0-9]{1,12}\)?){1,5})" + _END
)
_AT_HOME = (
    # (030) 1234567, (555) 010-0199
    re.compile(r"(?<!\w)\([0-9]{3,5}\)[ \u00a0]?[0-9]{3,4}[ \u00a0-]?[0-9]{3,5}" + _END),
    # 030 1234567, 0171/123 4567
    re.compile(
        _AWAY + r"0[1-9][0-9]{1,3}[ \u00a0/-][0-9]{3,4}[ \u00a0-]?[0-9]{2,5}"
        r"(?:[ \u00a0-][0-9]{2,4}){0,2}" + _END
    ),
    # 01 23 45 67 89
    re.compile(_AWAY + r"0[1-9](?:([ \u00a0.])[0-9]{2})(?:\1[0-9]{2}){3}" + _END),
    # 555-010-0199
    re.compile(_AWAY + r"[2-9][0-9]{2}([.-])[0-9]{3}\1[0-9]{4}" + _END),
)
_INTRODUCED = re.compile(
    r"(?i:\b(?:tel|tél|tel[eé]fono?|telefone|t[eé]l[eé]phone|phone|mobile|mobil|cell|handy|fax"
    r"|whatsapp)\b|电话|電話|☎)[^\w\n+(]{0,4}"
    r"(?P<number>\+?\(?[0-9]{1,5}\)?(?:[ \u00a0/-]?[0-9]{2,12}){1,5})" + _END
)
_SEEMS = re.compile(
    r"\+[0-9]{1,3}(?:[ \u00a0.][0-9]{3}){1,2}|(?:19|20)[0-9]{2}([ /-])[0-9]{1,2}\1[0-9]{1,2}"
    r"|[0-9]{1,2}([ /-])[0-9]{1,2}\2(?:19|20)[0-9]{2}"
)
"""A figure with its thousands apart, and dates."""

_LEAST_INTRODUCED, _LEAST_ABROAD, _LEAST_AT_HOME, _COMPLETE_ABROAD, _MOST_DIGITS = 6, 8, 9, 10, 15
_SHORTEST_IBAN = 15
_DIGITS_TOGETHER = re.compile(r"[0-9](?:[ \u00a0()./-]{0,3}[0-9]){5}")
_AREA = re.compile(r"0[0-9]{2}")
_GROUP = re.compile(r"[A-Za-z0-9]+")
_AS_TYPED = (("\u2009", "\u00a0"), ("\u202f", "\u00a0"), ("\u2010", "-"), ("\u2011", "-"))
"""Thin spaces and hyphens that do not break, which typesetters and models put into numbers."""
_WIDTHLESS = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
"""Letters that nobody sees: soft hyphens, joiners, marks of direction and of byte order."""
_GAPS = {ord(letter): None for letter in " \u00a0\u2009\u202f()-\u2010\u2011./"}


def emails(text: str) -> Iterator[Span]:
    """Yield where addresses stand."""
    if "@" in text or "%40" in text:
        for start, end in (found.span() for found in _EMAIL.finditer(text)):
            emphasised = text[start] == "_" and text[end : end + 1] == "_"
            yield start + emphasised, end


def ibans(text: str) -> Iterator[Span]:
    """Yield where account numbers with right check digits stand."""
    yield from _checked(_IBAN, _as_typed(text), _iban_end)


def cards(text: str) -> Iterator[Span]:
    """Yield where card numbers of a known issuer's form with a right check digit stand."""
    yield from _checked(_CARD, _as_typed(text), _card_end)


def phones(text: str) -> Iterator[Span]:
    """Yield where numbers stand that are written, or introduced, as only phone numbers are."""
    text = _as_typed(text)
    if not _DIGITS_TOGETHER.search(text):
        return
    yield from _checked(_ABROAD, text, lambda number: _phone_end(number, _LEAST_ABROAD))
    for shape in _AT_HOME:
        yield from _checked(shape, text, lambda number: _phone_end(number, _LEAST_AT_HOME))
    for found in _INTRODUCED.finditer(text):
        end = _phone_end(found["number"], _LEAST_INTRODUCED)
        if end is not None:
            yield found.start("number"), found.start("number") + end


def _seen(find: Find) -> Find:
    """Find what a reader sees: letters without width hide nothing."""

    def find_seen(text: str) -> Iterator[Span]:
        if text.isascii() or not _WIDTHLESS.search(text):
            yield from find(text)
            return
        places = [at for at, letter in enumerate(text) if not _WIDTHLESS.match(letter)]
        for start, end in find("".join(text[at] for at in places)):
            yield places[start], places[end - 1] + 1

    return find_seen


BUILT_IN: Mapping[str, Find] = {
    kind: _seen(find)
    for kind, find in (("email", emails), ("phone", phones), ("iban", ibans), ("card", cards))
}


def plain(kind: str, value: str) -> str:
    """Return a value without the ways of writing it: two spellings of one number are one."""
    value = _WIDTHLESS.sub("", value)
    if kind == "email":
        return value.replace("%40", "@").casefold()
    bare = value.translate(_GAPS).upper()
    return "+" + bare[2:] if kind == "phone" and bare.startswith("00") else bare


def _as_typed(text: str) -> str:
    """Return the text, letter for letter, with the gaps and hyphens that keyboards have."""
    for letter, typed in _AS_TYPED:
        text = text.replace(letter, typed)
    return text


def _checked(
    shape: re.Pattern[str], text: str, end_of: Callable[[str], int | None]
) -> Iterator[Span]:
    """Yield the matches that check. One that does not may hide another that begins inside it."""
    at = 0
    while found := shape.search(text, at):
        end = end_of(found[0])
        if end is not None:
            yield found.start(), found.start() + end
        at = found.start() + (end or 1)


def _iban_end(text: str) -> int | None:
    """Return where the longest right IBAN ends: words in capitals may follow in groups alike."""
    for end in _ends(text):
        iban = plain("iban", text[:end])
        if len(iban) >= _SHORTEST_IBAN and mod_97(iban):
            return end
    return None


def _card_end(text: str) -> int | None:
    for end in _ends(text):
        card = plain("card", text[:end])
        if _ISSUED.fullmatch(card) and luhn(card):
            return end
    return None


def _phone_end(text: str, least: int) -> int | None:
    """Return where the number ends: one that is complete may be followed by another."""
    complete = _COMPLETE_ABROAD if text.startswith(("+", "00")) else _LEAST_AT_HOME
    if _SEEMS.fullmatch(text):
        return None
    for end in _ends(text):
        number = text[:end] + ")" if text[end:].startswith(")") else text[:end]
        last = number.rpartition(" ")[2]
        digits = len(number.translate(_GAPS).removeprefix("+"))
        another = _AREA.match(last) and digits - len(last) >= complete
        if least <= digits <= _MOST_DIGITS and not another:
            return len(number)
    return None


def _ends(text: str) -> list[int]:
    """Return where the groups of a number end, the last first."""
    return [found.end() for found in _GROUP.finditer(text)][::-1]
