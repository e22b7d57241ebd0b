import pytest

from scorers.tallies.findings import findings


def found(answer: str, reference: str, question: str = "") -> list[tuple[str, str]]:
    return [(f.kind, f.found) for f in findings(answer, reference, question=question)]


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("It was built by Ada Brandt.", "Ada Brandt built it."),
        ("It was built by Ada Brandtt.", "Ada Brandt built it."),
        ("Brandenburg is where it stands.", "It stands in the north."),
        ("It stands. Berlin is far.", "It stands in the north."),
    ],
)
def test_a_name_is_known_exactly_or_nearly_and_the_first_word_of_a_sentence_is_no_name(
    answer: str, reference: str
) -> None:
    assert found(answer, reference) == []


def test_a_name_that_is_swapped_is_told() -> None:
    assert found("It was built by Ada Keller.", "Ada Brandt built it.") == [("name", "Keller")]


def test_a_name_of_the_question_is_known() -> None:
    assert found("In Selwyn it is.", "It is there.", question="Where is Selwyn?") == []


@pytest.mark.parametrize(
    ("answer", "reference", "told"),
    [
        ("It is 44.1 km long.", "It is 42 km long.", []),
        ("It is 44.2 km long.", "It is 42 km long.", [("number", "44.2")]),
        ("It opened in 1875.", "It opened in 1874.", []),
        ("It opened in 1930.", "It opened in 1874.", [("number", "1930")]),
        ("It has 3 rooms.", "It has rooms.", []),
        ("It costs 1,200 euros [2].", "It costs 1.2 thousand euros.", []),
    ],
)
def test_numbers_may_be_near_and_years_one_off(
    answer: str, reference: str, told: list[tuple[str, str]]
) -> None:
    assert found(answer, reference) == told
