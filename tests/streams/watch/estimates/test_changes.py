import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.watch.estimates.changes import Weighed, change, contributions
from streams.watch.estimates.rates import Z95, Rate, wilson

TIE = 1e-9


def rate(bad: int, n: int) -> Rate:
    return Rate(bad / n, *wilson(bad / n, n, z=Z95), n, n)


def test_the_limits_of_a_difference_are_those_of_newcombes_tenth_method() -> None:
    """Newcombe 1998, table II: 56/70 against 48/80."""
    moved = change(rate(56, 70), rate(48, 80))

    assert moved.value == pytest.approx(0.2)
    assert (round(moved.lower, 4), round(moved.upper, 4)) == (0.0524, 0.3339)


def test_the_part_that_got_worse_accounts_for_the_change() -> None:
    parts = {
        "v6": (Weighed(100, 5), Weighed(50, 2.5)),
        "v7": (Weighed(0, 0), Weighed(50, 15)),
    }

    found = contributions(parts, now=Weighed(100, 17.5), before=Weighed(100, 5))

    assert found == pytest.approx({"v6": 0.0, "v7": 0.125})


def test_a_part_that_was_always_bad_and_grew_accounts_for_its_growth() -> None:
    parts = {
        "de": (Weighed(90, 3), Weighed(50, 5 / 3)),
        "fr": (Weighed(10, 3), Weighed(50, 15)),
    }

    found = contributions(parts, now=Weighed(100, 50 / 3), before=Weighed(100, 6))

    assert max(found, key=lambda name: found[name]) == "fr"
    assert sum(found.values()) == pytest.approx(50 / 300 - 0.06)


WEIGHED = st.tuples(st.integers(1, 50), st.floats(0, 1)).map(lambda x: Weighed(x[0], x[0] * x[1]))


@given(st.lists(st.tuples(WEIGHED, WEIGHED), min_size=1, max_size=5))
def test_what_all_parts_account_for_is_the_change(parts: list[tuple[Weighed, Weighed]]) -> None:
    before = Weighed(sum(b.rated for b, _ in parts), sum(b.bad for b, _ in parts))
    now = Weighed(sum(n.rated for _, n in parts), sum(n.bad for _, n in parts))

    found = contributions({str(n): part for n, part in enumerate(parts)}, now=now, before=before)

    whole = now.bad / now.rated - before.bad / before.rated
    assert sum(found.values()) == pytest.approx(whole, abs=TIE)
