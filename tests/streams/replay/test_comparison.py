"""What two sides say of the same rows, scorer by scorer."""

from random import Random

import pytest

from streams.replay.comparison import BINS, compared
from streams.replay.pairs import Pair, Verdict
from tests.streams.replay.verdict_pairs import a_pair, a_verdict, speaker

NOBODY: dict[str, int] = {}


def test_pairs_are_counted_by_both_verdicts_and_both_outcomes() -> None:
    pairs = [
        *[a_pair(0.1, 0.2)] * 3,
        *[a_pair(0.1, 1.0)] * 2,
        a_pair(1.0, 0.3),
        *[a_pair(1.0, 1.0)] * 4,
        a_pair(1.0, None),
    ]

    [found] = compared(pairs, {"faithfulness": 5}, {"faithfulness": 6})

    assert (found.pairs, found.only_before, found.only_after) == (11, 5, 6)
    assert found.statuses == {("scored", "scored"): 10, ("scored", "error"): 1}
    assert found.rates is not None
    assert found.rates.square == (3, 2, 1, 4)
    assert (found.rates.before.value, found.rates.after.value) == (0.5, 0.4)
    assert found.rates.change.value == pytest.approx(-0.1)
    assert found.rates.mcnemar == 1.0
    assert found.scores is not None
    assert found.scores.pairs == 10


def test_rates_weigh_rows_by_their_chance_and_mcnemar_does_not() -> None:
    pairs = [*[a_pair(1.0, 0.0, probability=0.1)] * 5, *[a_pair(1.0, 1.0)] * 50]

    [found] = compared(pairs, NOBODY, NOBODY)

    assert found.rates is not None
    assert found.rates.after.value == pytest.approx(0.5)
    assert found.rates.after.n == 55
    assert found.rates.after.n_eff == pytest.approx(100**2 / (5 * 100 + 50))
    assert found.rates.mcnemar == 2 / 2**5
    assert found.scores is not None
    assert found.scores.change.value == pytest.approx(-0.5)


def test_a_row_that_a_run_drew_oftener_weighs_what_it_does_on_both_sides() -> None:
    rare = Pair(a_verdict(1.0, probability=0.25), a_verdict(0.0, probability=1.0))

    [found] = compared([rare, a_pair(1.0, 1.0)], NOBODY, NOBODY)

    assert found.rates is not None
    assert found.rates.after.value == pytest.approx(0.8)


def test_the_smallest_chance_there_is_still_weighs() -> None:
    [found] = compared([a_pair(1.0, 0.0, probability=5e-324)] * 2, NOBODY, NOBODY)

    assert found.rates is not None
    assert found.rates.after.value == 1


def test_what_cannot_be_bad_is_in_the_mean_score_and_not_in_the_rate() -> None:
    abstained = Verdict("faithfulness", speaker(), "scored", 0.0, None, 1.0, False, (0, 0))

    [found] = compared([Pair(abstained, a_verdict(1.0))], NOBODY, NOBODY)

    assert found.rates is None
    assert found.scores is not None
    assert found.flipped == ()


def test_the_worst_flips_come_first_and_those_to_bad_before_those_to_good() -> None:
    pairs = [a_pair(0.2, 1.0), a_pair(0.9, 0.6), a_pair(1.0, 0.0), a_pair(0.6, 0.8)]

    [found] = compared(pairs, NOBODY, NOBODY)

    assert found.flipped == (pairs[2], pairs[1], pairs[0], pairs[3])


def test_several_series_of_a_side_are_seen() -> None:
    pairs = [
        Pair(a_verdict(1.0), a_verdict(1.0, by=speaker(series))) for series in ("s1", "s2", "s2")
    ]

    [found] = compared(pairs, NOBODY, NOBODY)

    assert found.mixed == (False, True)
    assert found.speakers[1] == {speaker("s1"): 1, speaker("s2"): 2}


def test_verdicts_that_were_published_again_are_counted() -> None:
    pairs = [Pair(a_verdict(1.0), a_verdict(1.0, reused=True)), a_pair(1.0, 1.0)]

    [found] = compared(pairs, NOBODY, NOBODY)

    assert found.reused == 1


def test_scorers_stand_apart_though_one_has_no_pair() -> None:
    pair = Pair(a_verdict(1.0, scorer="b"), a_verdict(1.0, scorer="b"))

    found = compared([pair], {"a": 3}, NOBODY)

    assert [(one.scorer, one.pairs, one.only_before) for one in found] == [("a", 0, 3), ("b", 1, 0)]
    assert found[0].rates is None
    assert found[0].scores is None


def test_the_histogram_holds_each_difference_once_and_turns_round_with_the_sides() -> None:
    random = Random(2)
    scores = [(random.random(), random.random()) for _ in range(300)] + [(0.0, 1.0), (0.5, 0.54)]

    [found] = compared([a_pair(*both) for both in scores], NOBODY, NOBODY)
    [turned] = compared([a_pair(*both[::-1]) for both in scores], NOBODY, NOBODY)

    assert found.scores is not None
    assert turned.scores is not None
    assert sum(found.scores.histogram) == len(scores)
    assert len(found.scores.histogram) == BINS
    assert found.scores.histogram[-1] >= 1
    assert found.scores.histogram == turned.scores.histogram[::-1]
