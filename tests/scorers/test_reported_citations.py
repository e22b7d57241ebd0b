"""Citation formats that other tools were reported to lose or to invent."""

import pytest

from scorers.text.citations import read_citations


def test_a_table_that_is_named_is_no_citation() -> None:
    answer = read_citations("According to Table 3 the revenue was 9 million.", ["1", "2", "3"])

    assert answer.cited == []
    assert len(answer.eligible(min_words=4)) == 1


@pytest.mark.parametrize("marker", ["[3]", "[^3]", "【3】", "[[3]](https://example.org)"])
def test_a_marker_of_any_common_style_is_read_and_an_unknown_one_is_told(marker: str) -> None:
    known = read_citations(f"The mill opens at ten {marker}.", ["3"])
    unknown = read_citations(f"The mill opens at ten {marker}.", ["1"])

    assert [sentence.keys for sentence in known.cited] == [("3",)]
    assert [sentence.unknown for sentence in unknown.cited] == [("3",)]
