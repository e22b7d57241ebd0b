import pytest

from streams.watch.estimates.citations import citations_of

COUNTS = {"cited": 80, "supported": 60, "eligible": 120, "fabricated_sentences": 4}


def test_each_sentence_weighs_the_same_in_precision_and_recall() -> None:
    citations = citations_of(COUNTS)

    assert (citations.precision, citations.recall) == (0.75, 0.5)


def test_the_limits_of_the_fabricated_share_count_answers_and_not_sentences() -> None:
    share = citations_of(COUNTS).fabricated_share(answers=30, n_eff=30.0, z=1.645)
    surer = citations_of(COUNTS).fabricated_share(answers=80, n_eff=80.0, z=1.645)

    assert share is not None
    assert surer is not None
    assert share.value == surer.value == pytest.approx(0.05)
    assert share.lower < surer.lower


def test_without_a_citation_there_is_nothing_to_say() -> None:
    citations = citations_of({})

    assert (citations.precision, citations.recall) == (None, None)
    assert citations.fabricated_share(answers=30, n_eff=30.0, z=1.645) is None
