"""What is taken for an address, a number or an account, and what is left for judges to read."""

import re
import time
from collections.abc import Iterator
from re import _parser as parser  # type: ignore[attr-defined]

import pytest

from scorers.redaction import built_in
from scorers.redaction.built_in import BUILT_IN, plain


def found(kind: str, text: str) -> list[str]:
    return [text[start:end] for start, end in BUILT_IN[kind](text)]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("Write to anna@museum.example.", "anna@museum.example"),
        ("a.b+c@sub.x-y.co.uk, now", "a.b+c@sub.x-y.co.uk"),
        ("<mailto:ä@bücher.de>", "ä@bücher.de"),
        ("'anna@x.org'", "anna@x.org"),
        ("...anna@x.org", "anna@x.org"),
        ("o'brien@x.org", "o'brien@x.org"),
        ("_anna@x.org_", "anna@x.org"),
        ("_anna@x.org", "_anna@x.org"),
        ("https://x.org/?to=anna%40museum.example&n=1", "anna%40museum.example"),
        ("anna.b%2Bnews%40x.org", "anna.b%2Bnews%40x.org"),
    ],
)
def test_an_address_is_found_without_what_stands_around_it(text: str, address: str) -> None:
    assert found("email", text) == [address]


@pytest.mark.parametrize(
    "number",
    [
        "+49 30 1234567",
        "+493012345678",
        "+1 (555) 010-0199",
        "+48 600 700 800",
        "0049 30 1234567",
        "(030) 1234567",
        "(555) 010-0199",
        "030 1234567",
        "030-12345678",
        "0171/123 4567",
        "020 7946 0958",
        "01 23 45 67 89",
        "555-010-0199",
    ],
)
def test_a_number_that_is_written_as_only_phone_numbers_are_is_found(number: str) -> None:
    assert number in found("phone", f"Ring {number}, please.")


@pytest.mark.parametrize("gap", ["\u00a0", "\u2009", "\u202f", "\u2010", "\u2011"])
@pytest.mark.parametrize(
    ("kind", "number"),
    [
        ("phone", "+49 30 1234567"),
        ("card", "4111 1111 1111 1111"),
        ("iban", "DE89 3704 0044 0532 0130 00"),
    ],
)
def test_gaps_that_models_put_into_numbers_hide_none(kind: str, number: str, gap: str) -> None:
    written = number.replace(" ", gap)

    assert found(kind, f"It is {written}.") == [written]
    assert plain(kind, written) == plain(kind, number)


@pytest.mark.parametrize(
    "text", ["030 1234567 030 1234567", "+49 30 1234567 030 7654321", "020 7946 0958 020 7946 0959"]
)
def test_a_number_ends_where_the_next_one_begins(text: str) -> None:
    assert " ".join(found("phone", text)) == text


@pytest.mark.parametrize("lead", ["Tel. ", "phone: ", "Fax ", "☎ ", "电话: "])
def test_a_plain_number_is_one_where_it_is_introduced(lead: str) -> None:
    assert found("phone", f"{lead}01711234567") == ["01711234567"]
    assert found("phone", "order 01711234567") == []


@pytest.mark.parametrize(
    ("text", "iban"),
    [
        ("DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 00"),
        ("de89370400440532013000", "de89370400440532013000"),
        ("GB29 NWBK 6016 1331 9268 19 EUR", "GB29 NWBK 6016 1331 9268 19"),
        ("AT61 1904 3002 3457 3201 BANK", "AT61 1904 3002 3457 3201"),
        ("IBAN:CH9300762011623852957.", "CH9300762011623852957"),
        ("NO93 8601 1117 947", "NO93 8601 1117 947"),
    ],
)
def test_an_account_number_is_found_without_the_words_after_it(text: str, iban: str) -> None:
    assert found("iban", text) == [iban]


def test_an_account_number_with_wrong_check_digits_is_none() -> None:
    assert found("iban", "DE88 3704 0044 0532 0130 00") == []


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("4111 1111 1111 1111", "4111 1111 1111 1111"),
        ("4111-1111-1111-1111 12/27", "4111-1111-1111-1111"),
        ("x,378282246310005", "378282246310005"),
        ("1234 4111 1111 1111 1111", "4111 1111 1111 1111"),
        ("3782 822463 10005", "3782 822463 10005"),
    ],
)
def test_a_card_number_is_found_in_every_grouping(text: str, card: str) -> None:
    assert found("card", text) == [card]


def test_a_long_number_without_a_right_check_digit_is_no_card() -> None:
    assert found("card", "4111 1111 1111 1112 and 1234567890123456") == []


ORDINARY = """
2026-01-31 | 31.01.2026 | 01/31/2026 10:30 | 05/12/2026 10:30 | 2026-01-31T09:15:00.000Z
01.02.2026 03.04.2026 | 1,299.00 | 12 500 000 EUR | +12 500 000 | 1 000 000 000 | +15 °C | +3.5 %
ISBN 978-3-16-148410-0 | ISBN 0-306-40615-2 | 0306406152 | 978 0 306 40615 7 | 4006381333931
302-1234567-1234567 | A-2024-0012345 | order 4500012345 | page 0012345678 | 00491234567890
192.168.100.200 | 48.8584, 2.2945 | 2019-2024 | 0800-1200 | 10:00-18:00 | v1.2.3.4 | § 0123 45
1764489600000 | 550e8400-e29b-41d4-a716-446655440000 | 3.14159265358979 | 0.4111111111111111
01067 Dresden | Tel Aviv 1909 | mobile since 2007 | fax 2026 | phone 2024-01-05 | tel: +12 500 000
(2019) 1234 | user@host | @anna | 5 @ 3.50 | 02 03 2026 | 24 7 | 1.234.567,89 | 12:34:56.789012
"""


@pytest.mark.parametrize("text", re.split(r" \| |\n", ORDINARY.strip()))
def test_dates_prices_and_the_numbers_of_books_and_orders_stay(text: str) -> None:
    assert [kind for kind in BUILT_IN if found(kind, text)] == []


@pytest.mark.parametrize("letter", ["\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad"])
@pytest.mark.parametrize(
    ("kind", "value", "at"),
    [
        ("email", "anna@museum.example", 2),
        ("email", "anna@museum.example", 4),
        ("email", "anna@museum.example", 5),
        ("phone", "+49 30 1234567", 8),
        ("iban", "DE89370400440532013000", 9),
        ("card", "4111111111111111", 12),
    ],
)
def test_letters_that_nobody_sees_hide_nothing(kind: str, value: str, at: int, letter: str) -> None:
    unseen = value[:at] + letter + value[at:]

    assert found(kind, f"{letter}Of {unseen}, or not.") == [unseen]
    assert plain(kind, unseen) == plain(kind, value)


def test_two_spellings_of_one_value_are_one() -> None:
    assert plain("email", "anna%40x.org") == plain("email", "anna@x.org")
    assert plain("email", "Anna@X.org") == plain("email", "anna@x.org")
    assert plain("phone", "0049 (30) 123-4567") == plain("phone", "+49 30 1234567")
    assert plain("iban", "de89 3704 0044") == plain("iban", "DE8937040044")
    assert plain("card", "4111-1111") == plain("card", "4111 1111")


def shapes() -> Iterator[re.Pattern[str]]:
    for value in vars(built_in).values():
        yield from (one for one in (value if isinstance(value, tuple) else (value,)) if _is(one))


def _is(value: object) -> bool:
    return isinstance(value, re.Pattern)


def test_every_repeat_of_every_shape_is_bounded() -> None:
    most = {shape.pattern: parser.parse(shape.pattern).getwidth()[1] for shape in shapes()}

    assert len(most) > 9
    assert all(width < 1000 for pattern, width in most.items() if pattern != "[A-Za-z0-9]+")


@pytest.mark.parametrize(
    "unit", ["a@", "a%40", "a\u200b@", "a!", "DE89 ", "4111 ", "0123 ", "+1 ", "tel ", "a.", "1"]
)
def test_no_text_takes_more_than_linear_time(unit: str) -> None:
    text = unit * (20_000 // len(unit))
    started = time.process_time()

    for kind in BUILT_IN:
        found(kind, text)

    assert time.process_time() - started < 2
