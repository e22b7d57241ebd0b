"""Agreement figures, against tables that were computed by hand and against known truth."""

from random import Random

import pytest

from streams.labels.agreement import Agreement, agreements
from streams.labels.reading import Labelled
from streams.watch.estimates.rates import Z95, Rate, wilson
from tests.streams.labels.judged import labelled


def table(tp: int, fp: int, fn: int, tn: int) -> list[Labelled]:
    """Return all answers of a small world: what the judge says, then what people say."""
    return [
        *labelled("bad", "bad", times=tp, of=tp + fp),
        *labelled("bad", "good", times=fp, of=tp + fp),
        *labelled("good", "bad", times=fn, of=fn + tn),
        *labelled("good", "good", times=tn, of=fn + tn),
    ]


def the(rows: list[Labelled]) -> Agreement:
    (found,) = agreements(rows)
    return found


def value(rate: Rate | None) -> float:
    assert rate is not None
    assert rate.lower <= rate.value <= rate.upper
    return rate.value


def test_a_table_by_hand_gives_its_figures() -> None:
    found = the(table(tp=40, fp=10, fn=20, tn=130))

    assert found.confusion == {
        ("bad", "bad"): 40,
        ("bad", "good"): 10,
        ("good", "bad"): 20,
        ("good", "good"): 130,
    }
    assert value(found.sensitivity) == pytest.approx(40 / 60)
    assert value(found.specificity) == pytest.approx(130 / 140)
    assert value(found.bad) == pytest.approx(60 / 200)
    # agreement 0.85; by chance 0.25 x 0.3 + 0.75 x 0.7 = 0.6
    assert value(found.kappa) == pytest.approx((0.85 - 0.6) / (1 - 0.6))


def test_a_weight_stands_for_as_many_answers() -> None:
    found = the(
        [
            *labelled("bad", "bad", times=40, of=50),
            *labelled("bad", "good", times=10, of=50),
            *labelled("good", "bad", times=2, picked=0.1, of=150),
            *labelled("good", "good", times=13, picked=0.1, of=150),
        ]
    )

    assert value(found.sensitivity) == pytest.approx(40 / 60)
    assert value(found.specificity) == pytest.approx(130 / 140)
    assert value(found.kappa) == pytest.approx(0.625)


def test_a_miss_that_was_not_seen_may_still_be_there() -> None:
    """Ten good verdicts stand for a thousand: that none is wrong proves little."""
    found = the(
        [
            *labelled("bad", "bad", times=50, of=50),
            *labelled("good", "good", times=10, picked=0.01, of=1000),
        ]
    )

    assert found.sensitivity is not None
    assert found.sensitivity.value == 1.0
    assert found.sensitivity.lower < 0.2


def test_a_stratum_without_labels_widens_the_limits() -> None:
    rows = table(tp=40, fp=10, fn=20, tn=130)
    more = labelled("good", None, times=5, stratum="near", of=50)

    narrow, wide = the(rows).sensitivity, the(rows + more).sensitivity

    assert narrow is not None
    assert wide is not None
    assert wide.lower < narrow.lower - 0.1


def test_unsure_and_open_answers_are_counted_and_weigh_nothing() -> None:
    rows = table(tp=40, fp=10, fn=20, tn=130)

    found = the(rows + labelled("bad", "unsure", times=3, of=50) + labelled("bad", None, of=50))

    assert (found.rows, found.labelled, found.unsure) == (204, 200, 3)
    assert value(found.sensitivity) == pytest.approx(40 / 60)


def test_what_the_judge_could_not_decide_stands_apart() -> None:
    rows = table(tp=40, fp=10, fn=20, tn=130)

    found = the(rows + labelled("undecided", "bad", times=3) + labelled("undecided", "good"))

    assert value(found.undecided) == 0.75
    assert value(found.sensitivity) == pytest.approx(40 / 60)


def test_labels_of_one_verdict_alone_say_nothing_of_the_judge() -> None:
    found = the(labelled("bad", "bad", times=40))

    assert (found.sensitivity, found.specificity, found.kappa) == (None, None, None)


def test_a_grade_is_held_against_the_scorers_line() -> None:
    found = the(labelled("good", 3) + labelled("good", 4) + labelled("bad", 1))

    assert found.confusion == {("bad", "bad"): 1, ("good", "bad"): 1, ("good", "good"): 1}


def test_grades_are_ranked_against_scores() -> None:
    """Ranks 1 to 10 against the same with two neighbours swapped: rho = 1 - 6 x 2 / 990."""
    scores = [0.1, 0.2, 0.3, 0.4, 0.5]
    alike = [one for n in range(5) for one in labelled("good", n + 1, score=scores[n])]
    swapped = [2, 1, 3, 4, 5]
    other = [one for n in range(5) for one in labelled("good", swapped[n], score=scores[n])]

    assert value(the(alike).spearman) == pytest.approx(1.0)
    found = the(other).spearman
    assert value(found) == pytest.approx(1 - 6 * 2 / (5 * 24))


def test_too_few_grades_know_no_limits_and_many_do() -> None:
    few = [one for n in range(3) for one in labelled("good", n + 1, score=n / 10)]
    many = few * 40

    unknown, known = the(few).spearman, the(many).spearman
    assert unknown is not None
    assert (unknown.lower, unknown.upper) == (-1.0, 1.0)
    assert value(known) == pytest.approx(1.0)
    assert known is not None
    assert 0.98 < known.lower < known.value


def test_series_versions_and_judges_are_never_mixed() -> None:
    one = labelled("bad", "bad")
    other = [
        Labelled(row.verdict.model_copy(update={"series": "s2"}), row.label)
        for row in labelled("good", "good")
    ]

    assert [each.judge.series for each in agreements(one + other)] == ["s1", "s2"]


def test_plain_samples_get_wilsons_limits_of_the_shares() -> None:
    """With every good verdict right, sensitivity is certain and specificity follows the bad."""
    found = the(table(tp=40, fp=10, fn=0, tn=1000))

    lower, upper = wilson(0.8, 50, z=Z95)
    assert found.specificity is not None
    assert found.specificity.upper == pytest.approx(1 - (1 - upper) * 50 / 1050, abs=0.005)
    assert found.specificity.lower == pytest.approx(1 - (1 - lower) * 50 / 1050, abs=0.01)


@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.7, 0.9), (0.9, 0.8)])
def test_the_limits_hold_the_truth_as_often_as_they_say(
    sensitivity: float, specificity: float
) -> None:
    random, runs, bad = Random(3), 300, 0.2
    held = [0, 0, 0]
    share = bad * sensitivity + (1 - bad) * (1 - specificity)
    right = bad * sensitivity + (1 - bad) * specificity
    chance = share * bad + (1 - share) * (1 - bad)
    truth = (sensitivity, specificity, (right - chance) / (1 - chance))
    for _ in range(runs):
        counts = {(verdict, label): 0 for verdict in (True, False) for label in (True, False)}
        for _ in range(250):
            label = random.random() < bad
            verdict = random.random() < (sensitivity if label else 1 - specificity)
            counts[verdict, label] += 1
        found = the(
            table(
                tp=counts[True, True],
                fp=counts[True, False],
                fn=counts[False, True],
                tn=counts[False, False],
            )
        )
        for place, rate in enumerate((found.sensitivity, found.specificity, found.kappa)):
            assert rate is not None
            held[place] += rate.lower <= truth[place] <= rate.upper
    assert min(held) / runs >= 0.925
