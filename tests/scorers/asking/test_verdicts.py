from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.asking.verdicts import verify
from scorers.contract import InvalidReplyError
from scorers.questions import Evidence, Question, VerifyClaims

ABOUT = VerifyClaims(("a", "b", "c"), (Evidence("1", "The mill opens at ten."),))


def read(*verdicts: object) -> list[str]:
    return [j.verdict for j in verify(ABOUT, row="r").read({"verdicts": list(verdicts)})]


def test_verdicts_without_names_go_by_their_order() -> None:
    assert read({"verdict": "yes"}, {"verdict": "no"}, {"verdict": "unsure"}) == [
        "yes",
        "no",
        "unsure",
    ]


def test_verdicts_with_names_go_by_their_names() -> None:
    named = ({"id": 3, "verdict": "no"}, {"id": "1", "verdict": "yes"}, {"claim": 2})

    assert read(*named[:2], {"claim": 2, "verdict": "unsure"}) == ["yes", "unsure", "no"]


def test_a_claim_that_is_repeated_as_text_is_no_name() -> None:
    rows = [{"claim": text, "verdict": "yes"} for text in ("c", "b", "a")]

    assert read(*rows) == ["yes", "yes", "yes"]


@pytest.mark.parametrize(
    "verdicts",
    [
        [{"verdict": "yes"}],
        [{"verdict": "yes"}] * 4,
        [],
        [{"verdict": "Sure"}, {"verdict": "yes"}, {"verdict": "no"}],
        [{"verdict": "yes, no"}, {"verdict": "yes"}, {"verdict": "no"}],
        [{"verdict": None}, {"verdict": "yes"}, {"verdict": "no"}],
        [{"verdict": -1}, {"verdict": "yes"}, {"verdict": "no"}],
        ["yes", "yes", "yes"],
        [{"id": 1, "verdict": "yes"}, {"id": 1, "verdict": "no"}, {"id": 2, "verdict": "no"}],
        [{"id": 0, "verdict": "yes"}, {"id": 1, "verdict": "no"}],
        [{"id": 1, "verdict": "yes"}, {"verdict": "no"}, {"verdict": "no"}],
        [{"verdict": "yes", "reason": 1}, {"verdict": "yes"}, {"verdict": "no"}],
    ],
)
def test_a_reply_that_leaves_doubt_is_refused_and_the_whole_question_asked_again(
    verdicts: list[object],
) -> None:
    with pytest.raises(InvalidReplyError) as refused:
        read(*verdicts)

    assert refused.value.rest is None


def test_only_the_missing_ones_are_asked_again_where_all_that_came_have_names() -> None:
    with pytest.raises(InvalidReplyError) as refused:
        read({"id": 2, "verdict": "no"})

    rest = refused.value.rest
    assert rest is not None
    assert isinstance(rest.about, VerifyClaims)
    assert rest.about.numbered == ((1, "a"), (3, "c"))


def test_what_comes_later_is_joined_to_what_came_before() -> None:
    with pytest.raises(InvalidReplyError) as first:
        read({"id": 2, "verdict": "no"})
    assert first.value.rest is not None
    with pytest.raises(InvalidReplyError) as second:
        first.value.rest.read({"verdicts": [{"id": 3, "verdict": "unsure"}]})
    assert second.value.rest is not None

    judged = second.value.rest.read({"verdicts": [{"verdict": "yes"}]})

    assert isinstance(judged, tuple)
    assert [judgement.verdict for judgement in judged] == ["yes", "no", "unsure"]


@pytest.mark.parametrize("reply", [{}, {"verdicts": "yes"}, {"claims": []}, [], "yes", None])
def test_a_reply_of_another_shape_is_invalid_and_no_crash(reply: object) -> None:
    with pytest.raises(InvalidReplyError):
        verify(ABOUT, row="r").read(reply)


@given(st.permutations(range(1, 7)), st.sets(st.integers(1, 5)))
def test_however_the_verdicts_come_in_each_claim_gets_its_own(
    order: list[int], cuts: set[int]
) -> None:
    words = {number: ("yes", "no", "unsure")[number % 3] for number in order}
    question: Question[object] = verify(VerifyClaims(tuple("abcdef"), ()), row="r")
    bounds = [0, *sorted(cuts), len(order)]

    for start, end in pairwise(bounds):
        some = [{"id": number, "verdict": words[number]} for number in order[start:end]]
        try:
            judged = question.read({"verdicts": some})
        except InvalidReplyError as refused:
            assert end < len(order)
            assert refused.rest is not None
            question = refused.rest

    assert isinstance(judged, tuple)
    assert [judgement.verdict for judgement in judged] == [words[number] for number in range(1, 7)]
