"""What the verdicts on chunks add up to: the order of the chunks has no say in it."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.contract import Judgement, Verdict
from scorers.judges.dividing import CHUNKED, CONFLICT, joined, merged
from scorers.questions import VerifyClaims

VERDICTS: tuple[Verdict, ...] = ("yes", "no", "unsure", "undecided")
JUDGEMENTS = st.builds(
    Judgement,
    st.sampled_from(VERDICTS),
    st.one_of(st.none(), st.floats(0, 1)),
    flags=st.lists(st.sampled_from(["number", "order"]), max_size=1).map(tuple),
)


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (("unsure", "yes", "unsure"), "yes"),
        (("no", "yes"), "yes"),
        (("unsure", "no"), "no"),
        (("undecided", "no"), "no"),
        (("unsure", "undecided"), "undecided"),
        (("unsure", "unsure"), "unsure"),
    ],
)
def test_a_claim_is_what_its_chunks_make_of_it(
    found: tuple[Verdict, ...], verdict: Verdict
) -> None:
    one = merged([Judgement(word) for word in found])

    assert one.verdict == verdict
    assert one.chunks == len(found)
    assert (CONFLICT in one.flags) == ({"yes", "no"} <= set(found))


def said(judgement: Judgement) -> tuple[Verdict, float | None, frozenset[str], int]:
    return judgement.verdict, judgement.support, frozenset(judgement.flags), judgement.chunks


@given(st.lists(JUDGEMENTS, min_size=1, max_size=4))
@settings(max_examples=100)
def test_the_order_of_the_chunks_changes_nothing(found: list[Judgement]) -> None:
    assert len({said(merged(order)) for order in permutations(found)}) == 1


@given(st.lists(JUDGEMENTS, min_size=3, max_size=5), st.data())
@settings(max_examples=100)
def test_a_chunk_that_is_cut_once_more_changes_no_verdict(
    found: list[Judgement], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(1, len(found) - 1))

    nested = merged([merged(found[:cut]), *found[cut:]])

    assert said(nested)[:2] == said(merged(found))[:2]
    assert (CONFLICT in nested.flags) == (CONFLICT in merged(found).flags)
    assert nested.chunks == len(found)


def test_what_decided_it_is_named_and_the_greatest_support_kept() -> None:
    one = merged(
        [
            Judgement("unsure", 0.3, quote="no such thing", flags=("quote_mismatch",)),
            Judgement("yes", 0.9, quote="at ten", evidence_key="2"),
        ]
    )

    assert (one.verdict, one.support, one.evidence_key, one.quote) == ("yes", 0.9, "2", "at ten")
    assert one.flags == (CHUNKED,)


@pytest.mark.parametrize(("word", "stands"), [("yes", True), ("no", False), ("unsure", False)])
def test_only_what_is_supported_stands_where_a_chunk_failed(word: Verdict, stands: bool) -> None:
    about = VerifyClaims(("It opens.",), ())

    value = joined(about, [(Judgement(word),)], failed=True)

    assert (value is not None) == stands
