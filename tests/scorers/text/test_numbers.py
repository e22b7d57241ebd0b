# ruff: noqa: RUF001 (signs that look alike are the subject here)

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.text.figures import figures
from scorers.text.numbers import close_enough, numbers, years


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("about 1,200,000 people", [1_200_000]),
        ("1.200.000 Einwohner", [1_200_000]),
        ("1 200 000 habitants", [1_200_000]),
        ("1'000 Franken", [1000]),
        ("5 , 000 troops", [5000]),
        ("4.000 Gäste", [4000]),
        ("Das kostet 1.200 Euro", [1200]),
        ("a ratio of 1.200 to one", [1.2]),
        ("1.234,56 and 1,234.56", [1234.56, 1234.56]),
        ("3,5 Prozent", [3.5]),
        ("1.2 million or 1,200 million", [1_200_000, 1_200_000_000]),
        ("2,5 Mrd. Euro", [2_500_000_000]),
        ("$3m for 3 m", [3_000_000, 3]),
        ("5k steps", [5000]),
        ("minus 5, −5 and (-5)", [-5, -5, -5]),
        ("10-15 people, 10 – 15 kg", [10, 15, 10, 15]),
        ("10%-15%", [10, 15]),
        ("a 3-year plan", [3]),
        ("version 2.4.1 at 192.168.0.1", []),
        ("COVID-19 and B12", []),
        ("the 3rd floor", []),
        ("at 18:00 on 2024-03-12", []),
        ("12 beds [3]", [12]),
        ("in 1874, 1874 passengers", [1874]),
    ],
)
def test_quantities_survive_every_spelling(text: str, found: list[float]) -> None:
    assert numbers(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("opened in 1874", [1874]),
        ("1874 passengers boarded", []),
        ("In 1874 passengers boarded", [1874]),
        ("from 2010 to 2015 and 2018–19", [2010, 2015, 2018, 2019]),
        ("am 12.03.2024 und 2023-01-31", [2024, 2023]),
        ("the 1990s", [1990]),
        ("€1999 or 1500 km", []),
    ],
)
def test_years_are_bare_four_digit_numbers_that_count_nothing(text: str, found: list[int]) -> None:
    assert years(text) == found


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("on 5 March", "day", 305),
        ("on March 5th", "day", 305),
        ("am 5. März", "day", 305),
        ("2024-03-05", "day", 305),
        ("at 6 pm", "time", 1080),
        ("at 6 p.m. sharp", "time", 1080),
        ("um 18.30 Uhr", "time", 1110),
        ("12 am", "time", 0),
        ("the 19th century", "ordinal", 19),
    ],
)
def test_days_and_times_are_told_from_quantities(text: str, kind: str, value: float) -> None:
    assert (kind, value) in [(figure.kind, figure.value) for figure in figures(text)]


@pytest.mark.parametrize(
    ("answer", "reference", "right"),
    [
        (44.1, 42, True),
        (44.2, 42, False),
        (39.9, 42, True),
        (-10, 10, False),
        (0, 0, True),
        (0.001, 0, False),
        (-42, -44, True),
    ],
)
def test_numbers_may_be_five_percent_off_the_reference(
    answer: float, reference: float, right: bool
) -> None:
    assert close_enough(answer_value=answer, reference_value=reference, kind="relative") is right


@pytest.mark.parametrize(("answer", "right"), [(1875, True), (1873, True), (1876, False)])
def test_years_may_be_one_off(answer: float, right: bool) -> None:
    assert close_enough(answer_value=answer, reference_value=1874, kind="year") is right


@settings(max_examples=150)
@given(st.text(alphabet="0123456789.,:-–/ '%€kmMay年٣²½Ⅷ\n", max_size=60))
def test_no_text_breaks_the_reader_and_figures_stand_in_it(text: str) -> None:
    found = figures(text)

    assert all(0 <= figure.start < figure.end <= len(text) for figure in found)
    numbers(text)
    years(text)
