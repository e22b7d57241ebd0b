import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.judges.breaker import FAILURES, LONGEST_PAUSE_SECONDS, Breaker, concerns_all


def opened(at: float = 0.0) -> Breaker:
    breaker = Breaker()
    assert [breaker.failed(at) for _ in range(FAILURES)] == [False] * (FAILURES - 1) + [True]
    return breaker


@pytest.mark.parametrize("cause", ["http_401", "http_402", "http_403", "http_404", "http_410"])
def test_a_refused_key_model_or_account_concerns_all(cause: str) -> None:
    assert concerns_all(cause)


@pytest.mark.parametrize("cause", [None, "timeout", "http_400", "http_413", "http_500", "http_529"])
def test_what_another_question_may_be_spared_does_not(cause: str | None) -> None:
    assert not concerns_all(cause)


def test_a_spent_quota_is_told_from_a_pace_that_is_too_quick() -> None:
    assert concerns_all("rate_limited", '{"error": {"code": "insufficient_quota"}}')
    assert not concerns_all("rate_limited", '{"error": {"message": "slow down"}}')


def test_one_failure_may_be_about_its_own_question() -> None:
    breaker = Breaker()

    breaker.failed(0.0)
    breaker.failed(0.0)
    breaker.answered()
    breaker.failed(0.0)

    assert breaker.wait_seconds(0.0) == 0.0


def test_while_it_is_open_one_question_a_pause_tries() -> None:
    breaker = opened()

    assert breaker.wait_seconds(0.25) == 0.75
    assert breaker.wait_seconds(1.0) == 0.0
    assert breaker.wait_seconds(1.0) == 1.0


def test_pauses_grow_with_every_try_that_fails_and_not_with_questions_under_way() -> None:
    breaker = opened()
    breaker.failed(0.1)
    assert breaker.wait_seconds(1.0) == 0.0

    breaker.failed(1.0)

    assert breaker.wait_seconds(1.0) == 2.0


def test_an_answer_closes_it() -> None:
    breaker = opened()

    assert breaker.answered()
    assert breaker.wait_seconds(0.0) == 0.0
    assert not breaker.answered()


steps = st.lists(st.tuples(st.floats(0, 100), st.sampled_from(["ask", "fail", "answer"])))


@given(steps)
def test_nobody_waits_longer_than_the_longest_pause_and_an_answer_always_frees(
    steps: list[tuple[float, str]],
) -> None:
    breaker, now = Breaker(), 0.0
    for later, step in steps:
        now += later
        if step == "fail":
            breaker.failed(now)
        elif step == "answer":
            breaker.answered()
            assert not breaker.open
        else:
            assert 0 <= breaker.wait_seconds(now) <= LONGEST_PAUSE_SECONDS
