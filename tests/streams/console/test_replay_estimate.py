import io
import json

from rich.console import Console

from schemas.run import Spent
from schemas.score import Usage
from streams.console.replay_estimate import print_estimate
from streams.replay.rehearsal import Estimate, ScorerEstimate

USAGE = Usage(calls=60, attempts=60, input_tokens=48_000, output_tokens=1_200, cost_usd=0.05)
ONE = ScorerEstimate(sampled=100, reusable=40, basis=60, usage=USAGE)
ESTIMATE = Estimate(rows=1_000, sampled=100, rejected=2, scorers={"faithfulness": ONE})
UNPRICED = ScorerEstimate(100, 40, 60, USAGE.model_copy(update={"cost_usd": None}))


def printed(
    estimate: Estimate = ESTIMATE,
    *,
    terminal: bool = False,
    width: int = 100,
    unpriced: tuple[str, ...] = (),
    done: Spent | None = None,
    as_json: bool = False,
) -> str:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=width, color_system=None)
    print_estimate(estimate, console, unpriced=unpriced, done=done or Spent(), as_json=as_json)
    return out.getvalue()


def test_lines_say_what_a_run_would_draw_find_buy_and_cost() -> None:
    assert printed().splitlines() == [
        "rows: 1,000, 100 are drawn, 2 cannot be read",
        "scorer faithfulness: 100 drawn, 40 there already, 60 to buy",
        "  about 60 calls, 48,000 tokens in, 1,200 out, $0.05",
        "in all: about 60 calls, 48,000 tokens in, 1,200 out, $0.05",
        "Rows are counted; calls, tokens and cost are an estimate by up to 60 rows of each scorer. "
        "Nobody was asked, and nothing was written.",
    ]


def test_a_terminal_gets_a_table_of_the_same_figures() -> None:
    shown = printed(terminal=True)

    assert "rows: 1,000, 100 are drawn" in shown
    assert "faithfulness    100     40      60     60     48,000       1,200  $0.05" in shown
    assert "Nobody was asked" in shown


def test_a_terminal_that_is_too_narrow_for_the_table_gets_the_lines() -> None:
    assert printed(terminal=True, width=60) == printed()


def test_programs_get_one_json_object() -> None:
    found = json.loads(printed(as_json=True))

    assert found["scorers"]["faithfulness"] == {
        "sampled": 100,
        "reused": 40,
        "bought": 60,
        "basis": 60,
        "calls": 60,
        "input_tokens": 48_000,
        "output_tokens": 1_200,
        "cost_usd": 0.05,
    }
    assert (found["rows"], found["sampled"], found["rejected"]) == (1_000, 100, 2)
    assert (found["calls"], found["cost_usd"]) == (60, 0.05)


def test_a_price_that_is_not_set_is_asked_for() -> None:
    estimate = Estimate(1_000, 100, 0, {"faithfulness": UNPRICED})

    said = printed(estimate, unpriced=("chat",))

    assert "price not known: set judge.chat.price" in said
    assert "in all: about 60 calls, 48,000 tokens in, 1,200 out, cost not known" in said
    assert "$" not in said
    assert json.loads(printed(estimate, as_json=True))["cost_usd"] is None


def test_of_a_run_that_has_begun_it_is_said_what_is_done() -> None:
    said = printed(done=Spent(judged=12, reused=3, calls=14, cost_usd=0.5))

    assert (
        "The run has begun, and this is all of it. "
        "Done: 12 verdicts bought, 3 found, 14 calls, $0.5000." in said
    )
