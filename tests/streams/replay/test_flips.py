"""What is shown of a row that flipped: the claim that decides, and what a terminal may be told."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.score import Scored
from streams.replay.flips import MOST, Flip, flip, plain, worth_showing
from streams.replay.pairs import Pair
from tests.streams.replay.two_sides import a_verdict as an_outcome
from tests.streams.replay.two_sides import an_event
from tests.streams.replay.verdict_pairs import a_pair, a_verdict
from tests.streams.watch.records import failed


def claimed(*claims: tuple[str, str, float], score: float) -> Scored:
    """Return a verdict with claims: text, verdict and support."""
    rows = [{"text": text, "verdict": word, "support": worth} for text, word, worth in claims]
    return an_outcome(score).model_copy(update={"breakdown": {"claims": rows}})


def told(before: Scored, after: Scored) -> Flip:
    pair = Pair(a_verdict(before.normalized), a_verdict(after.normalized))
    found = flip(pair, an_event(1, before), an_event(1, after, run="r1"))
    assert found is not None
    return found


def test_the_failed_claim_with_the_least_support_decides_and_the_other_side_speaks_of_it() -> None:
    good = claimed(("a", "yes", 0.2), ("b", "yes", 0.9), ("c", "yes", 0.8), score=1.0)
    bad = claimed(("a", "yes", 0.0), ("b", "no", 0.1), ("c", "unsure", 0.3), score=0.3)

    fell, rose = told(good, bad), told(bad, good)

    assert (fell.after.claim, fell.after.finding) == ("b", "contradicted")
    assert (fell.before.claim, fell.before.finding) == ("b", "supported")
    assert (rose.before, rose.after) == (fell.after, fell.before)


def test_where_no_claim_failed_or_none_is_the_same_the_weakest_speaks() -> None:
    good, bad = claimed(("x", "yes", 0.9), ("y", "yes", 0.4), score=1.0), claimed(score=0.1)

    found = told(good, bad)

    assert found.before.claim == "y"
    assert found.after.claim == ""


def test_of_each_side_some_flips_are_shown() -> None:
    to_bad, to_good = [a_pair(1.0, 0.0)] * (MOST + 5), [a_pair(0.0, 1.0)] * 3

    assert worth_showing([*to_bad, *to_good]) == [*to_bad[:MOST], *to_good]


def test_an_event_without_a_verdict_is_not_the_one_that_flipped() -> None:
    assert flip(a_pair(1.0, 0.0), an_event(1), an_event(1, failed())) is None


@pytest.mark.parametrize("trace_id", ["-rf", "a b", "$(reboot)", "--help", "x'y"])
def test_the_command_names_the_trace_whatever_it_is_called(trace_id: str) -> None:
    bad, good = an_outcome(0.1), an_outcome(1.0)
    events = [an_event(1, one, trace_id=trace_id) for one in (good, bad)]
    found = flip(a_pair(1.0, 0.1), *events)

    assert found is not None
    words = shlex.split(found.show(" --broker x"))
    assert words[:4] == ["streamgauge", "show", "--broker", "x"]
    assert words[-1] == trace_id
    assert ("--" in words) == trace_id.startswith("-")


@given(st.text())
def test_a_shown_text_is_one_line_that_moves_nothing(text: str) -> None:
    shown = plain(text)

    assert shown == plain(shown)
    assert all(c.isprintable() or c in "\u200c\u200d" for c in shown)


def test_a_long_quote_is_cut() -> None:
    found = told(an_outcome(1.0, quote="q" * 5000), an_outcome(0.1, quote="q" * 5000))

    assert len(found.after.evidence) == 300
    assert found.after.evidence.endswith("…")
