"""Which answers are picked, with which chances, and that weights speak of all answers."""

from collections import Counter
from math import fsum
from random import Random
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.labels.agreement import agreements
from streams.labels.picking import LEAST, SHARES, Pick, allotted, pick
from streams.labels.reading import Labelled
from tests.streams.labels.judged import LINE, an_event
from tests.streams.watch.records import failed, undecided

PASS_AT = {"faithfulness": LINE}


def strata(picks: list[Pick]) -> Counter[str]:
    return Counter(one.verdict.stratum.name for one in picks)


def test_what_judges_disagree_on_or_is_near_the_line_stands_apart() -> None:
    events = [
        an_event(1, 1.0),
        an_event(2, 0.1),
        an_event(3, 0.8),
        an_event(4, 0.6),
        an_event(5, 1.0, flags=["against_rules"]),
        an_event(6, outcome=undecided()),
    ]

    assert strata(pick(events, PASS_AT, count=50, salt="a")) == {
        "good/clear": 1,
        "bad/clear": 1,
        "good/near": 1,
        "bad/near": 1,
        "good/disagreement": 1,
        "undecided": 1,
    }


def test_another_judge_that_says_otherwise_is_a_disagreement() -> None:
    events = [an_event(1, 0.1, series="old"), an_event(1, 1.0, series="new", second=9)]

    picks = pick(events, PASS_AT, count=50, salt="a")

    assert [(one.verdict.series, one.verdict.stratum.name) for one in picks] == [
        ("new", "good/disagreement")
    ]


def test_a_replay_shows_disagreement_and_is_not_picked_itself() -> None:
    events = [an_event(1, 1.0), an_event(1, 0.1, series="s2", run="r1", second=9)]

    picks = pick(events, PASS_AT, count=50, salt="a")

    assert [one.verdict.stratum.name for one in picks] == ["good/disagreement"]
    assert picks[0].event.run is None


def test_what_is_not_in_the_rate_is_not_picked() -> None:
    events = [an_event(1, outcome=failed()), an_event(2, 0.0, flags=["abstained"])]

    assert pick(events, PASS_AT, count=50, salt="a") == []


def test_the_same_salt_picks_the_same_answers_and_another_one_others() -> None:
    events = [an_event(row) for row in range(200)]

    first = pick(events, PASS_AT, count=20, salt="a")

    assert pick(reversed(events), PASS_AT, count=20, salt="a") == first
    assert pick(events, PASS_AT, count=20, salt="b") != first


def test_each_pick_says_its_chance_and_how_many_answers_its_stratum_stands_for() -> None:
    events = [an_event(row, probability=0.5) for row in range(40)]

    picks = pick(events, PASS_AT, count=10, salt="a")

    assert len(picks) == 10
    assert picks[0].verdict.stratum.picked == 0.25
    assert picks[0].verdict.stratum.answers == 80
    assert picks[0].verdict.probability == 0.125


@given(
    st.dictionaries(st.sampled_from(sorted(SHARES)), st.integers(1, 500), min_size=1),
    st.integers(LEAST, 400),
)
def test_no_stratum_is_left_out_and_none_gives_more_than_it_has(
    sizes: dict[str, int], count: int
) -> None:
    taken = allotted(sizes, count)

    assert taken.keys() == sizes.keys()
    assert all(1 <= taken[name] <= sizes[name] for name in sizes)
    assert sum(taken.values()) <= count
    if sum(sizes.values()) <= count:
        assert taken == sizes
    else:
        assert sum(taken.values()) > count - len(SHARES)


def test_weighted_estimates_from_picks_are_those_of_all_answers() -> None:
    """One in five is sampled five times as often, and the judge errs more there."""
    random = Random(11)
    events, really_bad = [], set[str]()
    for row in range(1200):
        often = row % 5 == 0
        bad = random.random() < (0.3 if often else 0.1)
        found = random.random() < ((0.9 if often else 0.7) if bad else 0.05)
        near = random.random() < (0.4 if found != bad else 0.1)
        score = (0.6 if near else 0.2) if found else (0.8 if near else 1.0)
        event = an_event(row, score, probability=0.5 if often else 0.1)
        events.append(event)
        if bad:
            really_bad.add(event.event_id)

    def share(*, bad: bool) -> float:
        """Return the share that the judge gets right, each event weighed by its chance."""
        weights = [
            (1 / event.sampling.probability, event.outcome.bad == bad)  # type: ignore[union-attr]
            for event in events
            if (event.event_id in really_bad) == bad
        ]
        return fsum(w for w, right in weights if right) / fsum(w for w, _ in weights)

    estimates, naive = list[tuple[float, float]](), list[float]()
    for salt in range(40):
        picks = pick(events, PASS_AT, count=240, salt=str(salt))
        rows = [
            Labelled(one.verdict, "bad" if one.event.event_id in really_bad else "good")
            for one in picks
        ]
        (agreement,) = agreements(rows)
        assert agreement.sensitivity is not None
        assert agreement.specificity is not None
        estimates.append((agreement.sensitivity.value, agreement.specificity.value))
        naive.append(agreement.confusion["bad", "bad"] / agreement.called("bad"))

    sensitivity, specificity = share(bad=True), share(bad=False)
    assert mean(one for one, _ in estimates) == pytest.approx(sensitivity, abs=0.02)
    assert mean(other for _, other in estimates) == pytest.approx(specificity, abs=0.005)
    assert mean(naive) > sensitivity + 0.05
