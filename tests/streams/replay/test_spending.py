from types import MappingProxyType

import pytest

from schemas.run import Spent
from schemas.score import Usage
from schemas.tally import StratumTally
from streams.replay.asked import Limit
from streams.replay.spending import Spending
from streams.scoring.draws import Cell, Draws
from tests.fakes import NOON
from tests.streams.watch.records import a_score, a_tally, failed

CALL = Usage(calls=1, attempts=2, input_tokens=100, output_tokens=10, cost_usd=0.25)


class Stops:
    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


DRAWS = Draws(MappingProxyType({Cell("shop/production", "base", 7): 1}), {}, [])


def test_rows_and_verdicts_are_counted_on_top_of_earlier_lives() -> None:
    before = Spent(rows=100, sampled=10, judged=5, reused=4, errors=1, calls=7, cost_usd=1.0)
    spending = Spending(Limit(), Stops(), before)

    spending.count(DRAWS)
    spending.spend(CALL)
    reused = a_score(1, 0, run="r1").model_copy(update={"reused": True})
    spending.published([a_score(0, 0), reused, a_score(2, 0, failed()), a_tally(0, rows=(0, 1))])

    assert spending.spent == Spent(
        rows=101,
        sampled=11,
        judged=6,
        reused=5,
        errors=2,
        calls=9,
        input_tokens=100,
        output_tokens=10,
        cost_usd=1.25,
    )


def test_nothing_is_drawn_less_often_whatever_was_spent() -> None:
    spending = Spending(Limit(calls=1), Stops())

    spending.spend(CALL)
    spending.beat(NOON)

    assert spending.kept == 1.0


@pytest.mark.parametrize(
    ("limit", "why"),
    [
        (Limit(calls=4), "4 of 4 calls are made"),
        (Limit(cost_usd=0.4), "$0.5000 of $0.40 are spent"),
        (Limit(calls=4, cost_usd=90.0), "4 of 4 calls are made"),
    ],
)
def test_a_run_is_stopped_once_when_either_budget_is_reached(limit: Limit, why: str) -> None:
    stop = Stops()
    spending = Spending(limit, stop)

    spending.spend(CALL)
    before = (spending.reached, stop.count)
    spending.spend(CALL)
    after = spending.reached
    spending.spend(CALL)  # it was in flight
    spending.count(DRAWS)

    assert before == (None, 0)
    assert after == why
    assert stop.count == 1


def test_what_rows_in_flight_cost_is_counted_beyond_the_budget() -> None:
    spending = Spending(Limit(calls=2, cost_usd=1.0), Stops())

    for _ in range(3):
        spending.spend(CALL)

    assert spending.spent.calls == 6
    assert spending.used == {"calls": 3.0, "cost": 0.75}


def test_a_run_whose_budget_was_used_up_before_ends_with_its_first_rows() -> None:
    stop = Stops()
    spending = Spending(Limit(calls=7), stop, Spent(calls=7))

    reached = spending.reached
    spending.count(DRAWS)

    assert reached == "7 of 7 calls are made"
    assert stop.count == 1


def test_a_raised_budget_lets_a_stopped_run_go_on() -> None:
    assert Spending(Limit(calls=8), Stops(), Spent(calls=7)).reached is None
    assert Spending(Limit(), Stops(), Spent(calls=7)).reached is None


def test_money_cannot_be_bounded_where_nobody_knows_the_price() -> None:
    free, unknown = Usage(calls=1), CALL.model_copy(update={"cost_usd": None})
    in_money, in_calls = Spending(Limit(cost_usd=9.0), Stops()), Spending(Limit(calls=9), Stops())

    in_money.spend(free)  # no token went anywhere
    assert in_money.reached is None
    in_money.spend(unknown)
    in_calls.spend(unknown)

    assert "set the judge's price" in (in_money.reached or "")
    assert in_calls.reached is None


def test_a_row_that_several_scorers_drew_is_one_row() -> None:
    spending = Spending(Limit(), Stops())
    scorers = {name: {"probability": 0.5, "sampled": n} for name, n in (("a", 3), ("b", 2))}
    tally = a_tally(0, rows=(0, 9)).model_copy(
        update={"strata": {"base": StratumTally.model_validate({"seen": 8, "scorers": scorers})}}
    )

    spending.published([tally.model_copy(update={"rejected": 1})])

    assert (spending.spent.rows, spending.spent.sampled) == (9, 3)
