"""Numbers, dates, names and denials that clash with the evidence."""

from collections.abc import Sequence

import pytest

from tests.scorers.judges.ruled import ENGLISH, GERMAN, judged


@pytest.mark.parametrize(
    ("claim", "texts", "flag"),
    [
        ("You can get a refund within 14 days of your purchase.", ENGLISH, "number"),
        (
            "The Premium plan costs €14.99 per month and includes 500 GB of storage.",
            ENGLISH,
            "number",
        ),
        ("The Halden ferry was built by Ulstein in 2017.", ENGLISH, "date"),
        ("Our support team can be reached Monday to Friday from 9:00 to 20:00.", ENGLISH, "date"),
        ("Die Rückgabe ist innerhalb von 14 Tagen möglich.", GERMAN, "number"),
        ("Das Museum öffnet am 5. März 2024 um 10 Uhr.", GERMAN, "date"),
    ],
)
def test_a_wrong_number_or_date_is_flagged_and_never_supported(
    claim: str, texts: Sequence[str], flag: str
) -> None:
    judgement = judged([claim], texts)[0]

    assert judgement.verdict in {"no", "unsure"}
    assert flag in judgement.flags


def test_another_value_for_the_same_thing_is_a_contradiction() -> None:
    judgement = judged(["Refunds are possible within 14 days of purchase."])[0]

    assert judgement.verdict == "no"
    assert judgement.quote == "Refunds are possible within 30 days of purchase."
    assert judgement.evidence_key == "1"


def test_a_number_from_another_sentence_does_not_support() -> None:
    judgement = judged(["Refunds are possible within 7 days of purchase."])[0]

    assert judgement.verdict == "undecided"


@pytest.mark.parametrize(
    "claim",
    [
        "The Halden ferry carries 300 bicycles.",
        "The Oslo ferry carries 300 passengers.",
        "It takes 14 days.",
    ],
)
def test_another_unit_or_another_subject_is_no_contradiction(claim: str) -> None:
    assert judged([claim])[0].verdict == "unsure"


def test_a_name_that_stands_nowhere_is_flagged() -> None:
    wrong, right = judged(
        ["The ferry was built by Fincantieri in 2019.", "It was built by Ulstein in 2019."]
    )

    assert (wrong.verdict, wrong.flags) == ("unsure", ("name",))
    assert right.flags == ()


def test_german_nouns_are_no_names() -> None:
    judgement = judged(["Die Erstattung erfolgt auf das alte Konto der Kundin."], GERMAN)[0]

    assert "name" not in judgement.flags


def test_an_acronym_is_known_by_the_words_it_stands_for() -> None:
    texts = ("The model is a convolutional neural network with ten layers.",)

    assert "name" not in judged(["The model, a CNN, has ten layers."], texts)[0].flags


def test_a_denial_of_what_the_evidence_says_is_not_supported() -> None:
    judgement = judged(["Refunds are not possible within 30 days of purchase."])[0]

    assert (judgement.verdict, judgement.flags) == ("undecided", ("negation",))
