import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.judges import deciding
from scorers.judges.deciding import DecideAt, Heard
from scorers.judges.typed import Refused, Told

AT = DecideAt()


def verdict(supported: float, contradicted: float, not_stated: float) -> Told:
    names = {"supported": supported, "contradicted": contradicted, "not_stated": not_stated}
    return Told(names)


@pytest.mark.parametrize(
    ("told", "word"),
    [
        (verdict(0.8, 0.1, 0.1), "yes"),
        (verdict(0.79, 0.11, 0.1), "undecided"),
        (verdict(0.1, 0.8, 0.1), "no"),
        (verdict(0.2, 0.4, 0.4), "unsure"),
        (verdict(0.21, 0.4, 0.39), "undecided"),
        (verdict(0.1 + 0.7, 0.2, 0.0), "yes"),
    ],
)
def test_a_verdict_is_taken_from_the_probability_on(told: Told, word: str) -> None:
    judged = deciding.claim(Heard((told,)), AT)

    assert judged.verdict == word
    assert judged.support == pytest.approx(told.probabilities["supported"])
    assert judged.probabilities == told.probabilities
    assert judged.decided_by == ("" if word == "undecided" else "decisions")


@pytest.mark.parametrize(
    ("p", "threshold", "word"),
    [
        (0.8, 0.5, "yes"),
        (0.2, 0.5, "unsure"),
        (0.21, 0.5, "undecided"),
        (0.79, 0.5, "undecided"),
        (0.85, 0.9, "unsure"),
    ],
)
def test_a_sentence_needs_probability_and_threshold(p: float, threshold: float, word: str) -> None:
    judged = deciding.sentence(Heard((Told({"yes": p}),)), AT, threshold=threshold)

    assert (judged.verdict, judged.support) == (word, p)


def test_orders_that_differ_are_undecided_and_those_that_agree_are_averaged() -> None:
    yes, no = verdict(0.9, 0.05, 0.05), verdict(0.1, 0.85, 0.05)

    differing = deciding.claim(Heard((yes, no)), AT)
    agreeing = deciding.claim(Heard((yes, verdict(0.8, 0.1, 0.1))), AT)

    assert (differing.verdict, differing.flags) == ("undecided", ("order",))
    assert agreeing.verdict == "yes"
    assert agreeing.support == pytest.approx(0.85)


@pytest.mark.parametrize(
    ("told", "flag"), [(Refused(), "refused"), (Told({"yes": 0.99}, mass=0.4), "low_mass")]
)
def test_what_was_refused_or_hardly_meant_is_undecided_and_has_no_support(
    told: Told | Refused, flag: str
) -> None:
    judged = deciding.sentence(Heard((told,)), AT)

    assert (judged.verdict, judged.support, judged.flags) == ("undecided", None, (flag,))


def test_an_answers_level_is_the_expected_one_whatever_its_label() -> None:
    label = Told({"consistent": 0.5, "slightly_inconsistent": 0.4, "contradictory": 0.1})
    level = Told({"0": 0.0, "1": 0.0, "2": 0.5, "3": 0.0, "4": 0.5})

    found = deciding.comparison(Heard((label,)), Heard((level,)), AT)

    assert (found.label, found.score) == (None, 0.75)


def test_of_levels_alike_the_lower_one_is_taken() -> None:
    level = Told({"0": 0.0, "1": 0.5, "2": 0.5, "3": 0.0, "4": 0.0})

    assert deciding.grade((), (), Heard((level,)), AT).score == 2


def test_a_level_that_is_not_likely_enough_is_none() -> None:
    level = Told({"0": 0.3, "1": 0.4, "2": 0.3, "3": 0.0, "4": 0.0})

    assert deciding.grade((), (), Heard((level,)), AT).score is None


shares = st.tuples(*[st.integers(0, 100)] * 3).filter(any)


@given(shares, st.floats(0.5, 1))
def test_more_support_never_makes_a_yes_into_anything_else(
    weights: tuple[int, int, int], bound: float
) -> None:
    total = sum(weights)
    supported, contradicted, silent = (weight / total for weight in weights)
    at = DecideAt(choice=bound)
    judged = deciding.claim(Heard((verdict(supported, contradicted, silent),)), at)

    more = deciding.claim(Heard((verdict(supported + contradicted, 0.0, silent),)), at)

    assert judged.verdict != "yes" or more.verdict == "yes"
