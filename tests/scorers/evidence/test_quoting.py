import pytest

from scorers.evidence.quoting import quoted_from


@pytest.mark.parametrize(
    "quote", ["opens at TEN", "  opens \n at ten", "“opens at ten”", "opens 'at' ten"]
)
def test_a_quote_is_found_whatever_its_case_its_spaces_and_its_marks(quote: str) -> None:
    assert quoted_from("The mill opens at ten.", quote)


@pytest.mark.parametrize("quote", ["opens at nine", "", "“”", "opens ten"])
def test_other_words_are_not_found(quote: str) -> None:
    assert not quoted_from("The mill opens at ten.", quote)
