"""Which expressions an operator may write, and what the others are told."""

import pytest

from scorers.redaction.patterns import PatternError, pattern


@pytest.mark.parametrize(
    "text", [r"KD-[0-9]{6,8}", r"(?<=name: )\w{1,40}", r"Herr \w{1,40} \w{1,40}", r"(?:Mr|Mrs) X"]
)
def test_an_expression_with_bounded_repeats_is_taken(text: str) -> None:
    assert pattern(text).kind == "pattern"


@pytest.mark.parametrize("text", ["x?", "x{0,3}", "(?:)", "^", r"\b", "a|"])
def test_one_that_matches_the_empty_text_is_refused(text: str) -> None:
    with pytest.raises(PatternError, match="empty text"):
        pattern(text)


@pytest.mark.parametrize(
    "text",
    [
        *("a+", "a{3,}", ".*x", "(a{1,30}){1,30}b", "(a|ab){1,20}c", "(a{1,2}){200}", "a{2000}"),
        *("(a?){1,40}a{1,40}", r"\w{1,60}\w{1,60}", "a{1,999999999}", "(?>a+)b", "a++b"),
    ],
)
def test_one_that_a_text_could_keep_busy_is_refused_with_the_way_out(text: str) -> None:
    with pytest.raises(PatternError, match=r"\{1,40\}"):
        pattern(text)


@pytest.mark.parametrize("text", ["(", "[", "*", r"\p", "emails("])
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(PatternError, match="email, phone, iban, card"):
        pattern(text)
