"""Placeholders: one a value, the same in every field, and none that a text can forge."""

from hypothesis import given
from hypothesis import strategies as st

from scorers.redaction.veil import Redaction, Veil, as_told

PIECES = st.sampled_from(
    [
        "anna@x.org",
        "Anna@X.org",
        "[EMAIL_1]",
        "[EMAIL_2]",
        "[LITERAL_1]",
        "030 1234567",
        " ",
        "ü",
        "x",
    ]
)
TEXTS = st.lists(st.lists(PIECES, max_size=8).map(" ".join), max_size=4)


def a_veil(*names: str, learnt: str = "") -> Veil:
    veil = Redaction(names or ("email", "phone")).veil()
    veil.learn([learnt])
    return veil


def test_a_value_has_one_placeholder_however_it_is_spelled() -> None:
    veil = a_veil()

    covered = veil.cover("anna@x.org, Bob@x.org, ANNA@X.ORG")

    assert covered == "[EMAIL_1], [EMAIL_2], [EMAIL_1]"
    assert veil.lift(covered) == "anna@x.org, Bob@x.org, anna@x.org"


def test_a_placeholder_that_came_with_the_row_is_a_value_of_its_own() -> None:
    veil = a_veil()

    covered = veil.cover("[EMAIL_1] is not anna@x.org")

    assert covered == "[LITERAL_1] is not [EMAIL_1]"
    assert veil.lift(covered) == "[EMAIL_1] is not anna@x.org"


def test_a_value_is_found_again_where_its_pattern_does_not_hold() -> None:
    veil = a_veil(r"(?<=name: )\w{1,40}", learnt="name: Ada")

    assert veil.cover("Ada lives near Adana.") == "[PATTERN_1] lives near Adana."


def test_values_that_overlap_are_hidden_as_one() -> None:
    veil = a_veil("AB-[0-9]{4}", "[0-9]{4}-CD")

    assert veil.cover("AB-1234-CD") == "[PATTERN_1]"


def test_a_reply_keeps_the_placeholders_it_was_told_and_loses_values_that_it_made_up() -> None:
    veil = a_veil(learnt="anna@x.org")

    assert veil.cover_reply("[EMAIL_1] or bob@x.org") == "[EMAIL_1] or [EMAIL_2]"


def test_a_pattern_that_fits_placeholders_breaks_none() -> None:
    veil = a_veil("email", "[A-Z]{5}", learnt="anna@x.org")

    assert veil.cover_reply("[EMAIL_1] EMAIL") == "[EMAIL_1] [PATTERN_1]"


def test_a_quote_that_cuts_a_value_has_it_whole_as_its_placeholder() -> None:
    veil = a_veil(r"Dr\. [A-Z][a-z]{1,20}", learnt="Ask Dr. Meyer today. Or later.")
    covered = veil.cover("Ask Dr. Meyer today. Or later.")

    assert as_told(covered, "Meyer today.", veil.lift) == "[PATTERN_1] today."
    assert as_told(covered, "Or later.", veil.lift) == "Or later."
    assert as_told(covered, "Ask Dr.", veil.lift) == "Ask [PATTERN_1]"


@given(TEXTS)
def test_whatever_was_covered_can_be_put_back_but_for_spellings(texts: list[str]) -> None:
    veil = Redaction(("email", "phone")).veil()
    veil.learn(texts)

    for text in texts:
        covered = veil.cover(text)
        assert veil.lift(covered).casefold() == text.casefold()
        assert "@" not in covered
        assert "1234567" not in covered


@given(TEXTS)
def test_places_say_where_each_value_stands_before_and_after(texts: list[str]) -> None:
    veil = Redaction(("email", "phone")).veil()
    veil.learn(texts)

    for text in texts:
        covered = veil.cover(text)
        for place in veil.places(text):
            hidden = covered[place.start : place.end]
            assert veil.lift(hidden).casefold() == text[place.raw_start : place.raw_end].casefold()
