# ruff: noqa: RUF001 (marks that look alike are the subject here)

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.text.claims import claims


def texts(answer: str) -> list[str]:
    return [claim.text for claim in claims(answer)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It is open. It is free [1].", ["It is open.", "It is free."]),
        ("It is open.[1]It is free.[2]", ["It is open.", "It is free."]),
        ("## Opening hours\nIt opens at nine.", ["It opens at nine."]),
        ("Shall I look it up? It is open.", ["It is open."]),
        ("Hi. I am here to help. The bridge is 90 m long.", ["The bridge is 90 m long."]),
        ("Based on the passages, it is open.", ["Based on the passages, it is open."]),
        ("Here is what I found:\nIt is open.", ["It is open."]),
        ("Sorry, I cannot answer that. It is open.", ["It is open."]),
        ("We cannot refund this after 30 days.", ["We cannot refund this after 30 days."]),
        ("If you have questions, call 0800 1234.", ["If you have questions, call 0800 1234."]),
        ("Let me know if you need more.", []),
        ("Leider kann ich die Frage nicht beantworten.", []),
        ("The documents do not mention a swimming pool.", []),
        ("The contract does not mention a pool.", ["The contract does not mention a pool."]),
        ("Dazu habe ich in den Unterlagen nichts gefunden.", []),
        ("The plan has:\n- 5 GB\n- calls", ["The plan has: 5 GB", "The plan has: calls"]),
        ("Follow these steps:\n1. Open it.\n2. Shut it.", ["Open it.", "Shut it."]),
        ("The plan has:\n- 5 GB\n\nIt is cheap.", ["The plan has: 5 GB", "It is cheap."]),
        ("- **Price:** 5 euros", ["Price: 5 euros"]),
        ("| Part | Level |\n|---|---|\n| Gate | nine |", ["Gate nine"]),
        ("It is open.\n\nSources:\n- [1] Handbook", ["It is open."]),
        ("Das gilt z. B. am 3. März. Es ist frei.", ["Das gilt z. B. am 3. März.", "Es ist frei."]),
        ("水位は九です。門は開きます！", ["水位は九です。", "門は開きます！"]),
        ("यह खुला है। वह बंद है।", ["यह खुला है।", "वह बंद है।"]),
        ("Vitamin (C3) helps.", ["Vitamin (C3) helps."]),
        ("Paris", ["Paris"]),
        ("", []),
        ("---", []),
    ],
)
def test_claims_are_what_the_answer_states(answer: str, expected: list[str]) -> None:
    assert texts(answer) == expected


def test_a_claim_points_at_the_words_of_the_answer() -> None:
    answer = "The plan has:\n- **5 GB** of data [1]\n- calls"

    first = claims(answer)[0]

    assert answer[first.start : first.end] == "**5 GB** of data"
    assert first.text == "The plan has: 5 GB of data"


PIECES = st.sampled_from(
    ["A b. ", "[1]", "\n", "- ", "x:", "?", "😀", "\u202e", "e\u0301", "。", "“", "```\n", "|a|b|"]
)


@settings(max_examples=150)
@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=25).map("".join)))
def test_no_text_breaks_the_splitter_and_offsets_stay_inside(answer: str) -> None:
    found = claims(answer)

    assert all(0 <= claim.start < claim.end <= len(answer) for claim in found)
    assert [claim.start for claim in found] == sorted(claim.start for claim in found)
    assert all(claim.text for claim in found)
