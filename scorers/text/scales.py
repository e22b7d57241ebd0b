"""Words around a number that change what it means: scales, units, currencies, months."""

# ruff: noqa: SIM905 (lists of words)

from collections.abc import Mapping

SCALES: Mapping[str, float] = {
    **dict.fromkeys(("hundred", "hundert", "cent", "cien"), 1e2),
    **dict.fromkeys(("thousand", "tausend", "tsd", "mille", "mil", "mila", "тыс"), 1e3),
    **dict.fromkeys(
        "million millions mn mln mio millionen millón millones milioni milione milhão milhões"
        " млн миллионов".split(),
        1e6,
    ),
    **dict.fromkeys(
        "billion billions bn mrd milliarde milliarden milliard milliards miliardi miliardo"
        " млрд миллиардов".split(),
        1e9,
    ),
    **dict.fromkeys(("trillion", "trillions", "tn", "billionen"), 1e12),
    "dozen": 12.0,
}
"""What a word behind a number multiplies it by. `billion` is read as English."""

GLUED_SCALES: Mapping[str, float] = {"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
CURRENCY_SCALES: Mapping[str, float] = {**GLUED_SCALES, "m": 1e6, "b": 1e9, "t": 1e12}
"""Single letters: behind an amount of money `m` is a million, elsewhere a metre."""

_UNIT_WORDS = """
    %: percent percentage pct prozent pourcent procent
    currency: $ € £ ¥ ₹ kr usd eur gbp chf jpy dollar dollars euro euros pound pounds franken rupees
      kroner kronor krone yen cents pence
    km: kilometre kilometres kilometer kilometers kilometern kms
    m: metre metres meter meters metern
    cm: centimetre centimetres centimeter centimeters zentimeter
    mm: millimetre millimetres millimeter millimeters
    mile: miles mi meile meilen
    foot: feet ft fuß
    kg: kilogram kilograms kilogramm kilo kilos
    g: gram grams gramm
    t: tonne tonnes ton tons tonnen
    l: litre litres liter liters litern
    second: seconds sec secs s sekunde sekunden
    minute: minutes min mins minuten
    hour: hours hr hrs h stunde stunden std
    day: days tag tage tagen
    week: weeks woche wochen
    month: months monat monate monaten
    year: years yr yrs jahr jahre jahren
    °c: degrees degree celsius grad °
    gb: gigabyte gigabytes
    mb: megabyte megabytes
    person: people persons personen menschen leute
"""
UNITS: Mapping[str, str] = {
    word: line.partition(":")[0].strip()
    for line in _UNIT_WORDS.replace("\n      ", " ").strip().splitlines()
    for word in line.replace(":", " ").split()
}
"""The one name of each unit, by all of its spellings (lower case)."""

MONTHS: Mapping[str, int] = {
    word: number
    for number, words in enumerate(
        (
            "january jan januar jänner janvier enero gennaio",
            "february feb februar février febrero febbraio",
            "march mar märz mars marzo",
            "april apr avril abril aprile",
            "may mai mayo maggio",
            "june jun juni juin junio giugno",
            "july jul juli juillet julio luglio",
            "august aug août agosto",
            "september sep sept septembre septiembre settembre",
            "october oct oktober okt octobre octubre ottobre",
            "november nov novembre noviembre",
            "december dec dezember dez décembre diciembre dicembre",
        ),
        start=1,
    )
    for word in words.split()
}
_SMALL = {
    word: number
    for number, words in enumerate(
        "zero|one|two zwei deux|three drei trois|four vier quatre|five fünf cinq|six sechs"
        "|seven sieben sept|eight acht huit|nine neun neuf|ten zehn dix|eleven elf onze"
        "|twelve zwölf douze|thirteen dreizehn|fourteen vierzehn|fifteen fünfzehn"
        "|sixteen sechzehn|seventeen siebzehn|eighteen achtzehn|nineteen neunzehn"
        "|twenty zwanzig vingt".split("|")
    )
    for word in words.split()
}
_ENGLISH_ONES = "one two three four five six seven eight nine".split()
_GERMAN_ONES = "ein zwei drei vier fünf sechs sieben acht neun".split()
_ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_GERMAN_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
TENS: dict[str, float] = {
    word: float(ten)
    for words in (_ENGLISH_TENS, _GERMAN_TENS)
    for ten, word in zip(range(20, 100, 10), words, strict=True)
}
ONES: dict[str, float] = {word: float(n) for n, word in enumerate(_ENGLISH_ONES, start=1)}
NUMBER_WORDS: Mapping[str, float] = (
    {word: float(number) for word, number in _SMALL.items() if word != "one"}
    | TENS
    | {
        f"{one}und{ten}": n + value
        for n, one in enumerate(_GERMAN_ONES, start=1)
        for ten, value in TENS.items()
        if ten in _GERMAN_TENS
    }
)
"""Small numbers as words. `one` is left out: it is an article as often as a number."""
