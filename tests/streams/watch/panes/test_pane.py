from functools import reduce
from operator import add
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from schemas.score import Outcome, Scored
from streams.watch.panes.events import pane_of
from streams.watch.panes.pane import WORST, ScorePane
from tests.streams.watch.records import a_score, bad, failed, good, undecided

OUTCOMES = st.one_of(
    st.builds(good),
    st.builds(failed),
    st.builds(undecided),
    st.builds(bad, normalized=st.floats(0, 1)),
)


@st.composite
def events(draw: st.DrawFn) -> list[ScorePane]:
    outcomes = draw(st.lists(OUTCOMES, max_size=12))
    return [pane_with(n, outcome, draw(st.integers(0, 50))) for n, outcome in enumerate(outcomes)]


def pane_with(row: int, outcome: Outcome, second: int) -> ScorePane:
    event = a_score(
        row, second, outcome, stratum="ab"[row % 2], probability=(0.1, 0.5, 1.0)[row % 3]
    )
    return pane_of(event, offset=row)


@given(events(), st.randoms(use_true_random=False), st.integers(0, 12))
def test_panes_add_up_the_same_in_any_order_and_grouping(
    panes: list[ScorePane], random: Random, cut: int
) -> None:
    shuffled = list(panes)
    random.shuffle(shuffled)
    left, right = shuffled[:cut], shuffled[cut:]

    grouped = reduce(add, left, ScorePane()) + reduce(add, right, ScorePane())

    assert grouped == reduce(add, panes, ScorePane())


@given(events())
def test_adding_changes_neither_pane(panes: list[ScorePane]) -> None:
    before = [repr(pane) for pane in panes]

    reduce(add, panes, ScorePane())

    assert [repr(pane) for pane in panes] == before


def test_the_worst_come_first_and_only_some_are_kept() -> None:
    outcomes = [good(), bad(0.5), bad(0.1), bad(0.9), bad(0.3), bad(0.3), good()]
    panes = [pane_with(row, outcome, row) for row, outcome in enumerate(outcomes)]

    worst = reduce(add, panes, ScorePane()).worst

    assert len(worst) == WORST
    assert [each.score for each in worst] == [0.1, 0.3, 0.3, 0.5, 0.9]
    assert [each.trace_id for each in worst[1:3]] == ["trace-0-5", "trace-0-4"]


def flagged(*flags: str, verdict: Scored) -> ScorePane:
    return pane_of(a_score(1, 0, verdict.model_copy(update={"flags": flags})), offset=1)


def test_a_refusal_is_in_the_mean_and_in_no_rate() -> None:
    cell = flagged("abstained", verdict=good()).strata["base"][1.0]

    assert (cell.n, cell.rated, cell.bad, cell.millionths) == (1, 0, 0, 1_000_000)


def test_an_answer_without_citations_is_rated_only_where_that_is_called_bad() -> None:
    assert flagged("uncited", verdict=good()).strata["base"][1.0].rated == 0
    assert flagged("uncited", verdict=bad()).strata["base"][1.0].bad == 1


def test_a_failure_has_no_numbers_and_says_why() -> None:
    pane = pane_of(a_score(1, 0, failed()), offset=1)

    assert pane.strata == {}
    assert pane.histogram == {}
    assert pane.outcomes == {"error": 1}
    assert pane.reasons == {"error/judge_unavailable": 1}


def test_a_perfect_score_is_in_the_last_bin() -> None:
    assert pane_of(a_score(1, 0, good()), offset=1).histogram == {49: 1}
