"""What a host does not deliver is asked for again, but where the log has it not."""

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from streams.watch.gaps import AGAIN_SECONDS, DEAD_SECONDS, PATIENCE_SECONDS, Gaps, Part

PART = Part("rag.scores", 3)


def expecting(due: int) -> Gaps:
    gaps = Gaps()
    gaps.begin(PART, due=due, now=0.0)
    return gaps


def test_rows_in_turn_are_taken() -> None:
    gaps = expecting(7)

    assert [gaps.takes(PART, offset, now=1.0) for offset in (7, 8, 9)] == [True] * 3
    assert gaps.overdue({PART: 10}, now=100.0) == []


def test_rows_that_were_taken_before_are_not_taken_again() -> None:
    gaps = expecting(7)

    assert not gaps.takes(PART, 6, now=1.0)
    assert gaps.takes(PART, 7, now=1.0)
    assert not gaps.takes(PART, 7, now=1.0)


def test_a_log_that_ends_before_what_was_taken_has_lost_rows() -> None:
    gaps = expecting(7)

    assert gaps.beyond({PART: 6}, now=PATIENCE_SECONDS) == [PART]
    assert gaps.beyond({PART: 7}, now=PATIENCE_SECONDS) == []
    assert gaps.beyond({}, now=PATIENCE_SECONDS) == []


def test_a_log_that_was_asked_before_its_last_row_was_taken_has_lost_none() -> None:
    gaps = expecting(7)
    gaps.takes(PART, 7, now=PATIENCE_SECONDS)

    assert gaps.beyond({PART: 7}, now=PATIENCE_SECONDS) == []


def test_a_row_that_comes_too_early_has_the_due_one_asked_for_at_once() -> None:
    gaps = expecting(7)

    assert not gaps.takes(PART, 9, now=1.0)

    assert gaps.overdue({PART: 10}, now=1.0) == [PART]
    assert gaps.asked(PART, first=0, now=1.0) == 7
    assert [gaps.takes(PART, offset, now=2.0) for offset in (7, 8, 9)] == [True] * 3


def test_rows_read_ahead_before_one_asked_have_it_asked_again_a_little_later() -> None:
    gaps = expecting(7)
    gaps.takes(PART, 9, now=1.0)
    gaps.asked(PART, first=0, now=1.0)

    assert not gaps.takes(PART, 10, now=1.5)

    assert gaps.overdue({PART: 11}, now=1.5) == []
    assert gaps.overdue({PART: 11}, now=1.0 + AGAIN_SECONDS) == [PART]


def test_a_row_that_waits_and_never_comes_is_asked_for_though_no_other_tells_of_it() -> None:
    gaps = expecting(7)

    assert gaps.overdue({PART: 8}, now=PATIENCE_SECONDS - 0.1) == []
    assert gaps.overdue({PART: 8}, now=PATIENCE_SECONDS) == [PART]


def test_nothing_is_overdue_at_the_end_of_a_log() -> None:
    assert expecting(7).overdue({PART: 7}, now=1_000.0) == []


def test_where_the_log_begins_later_its_first_row_has_its_turn() -> None:
    gaps = expecting(7)
    gaps.takes(PART, 40, now=1.0)

    assert gaps.asked(PART, first=40, now=1.0) == 40

    assert gaps.takes(PART, 40, now=1.1)


def test_of_a_row_that_comes_too_early_the_log_is_asked_once() -> None:
    gaps = expecting(7)

    assert not gaps.wonders(PART, 7)
    assert gaps.wonders(PART, 9)
    gaps.found(PART, 7)
    gaps.takes(PART, 9, now=1.0)

    assert not gaps.wonders(PART, 10)


def test_a_row_behind_a_hole_of_the_log_has_its_turn() -> None:
    gaps = expecting(7)
    gaps.found(PART, 9)

    assert not gaps.wonders(PART, 9)
    assert [gaps.takes(PART, offset, now=1.0) for offset in (9, 10)] == [True, True]


def test_however_long_a_row_is_away_that_the_log_has_no_later_one_is_taken() -> None:
    gaps = expecting(7)
    asked_in_vain(gaps)
    gaps.found(PART, 7)

    assert not gaps.takes(PART, 9, now=10 * DEAD_SECONDS)


def asked_in_vain(gaps: Gaps) -> float:
    """Ask until the host is held for dead, and return the time."""
    for second in range(0, int(DEAD_SECONDS), int(PATIENCE_SECONDS)):
        gaps.asked(PART, first=0, now=float(second))
    return DEAD_SECONDS


def test_a_partition_of_which_no_row_is_taken_whatever_is_asked_is_stuck() -> None:
    gaps = expecting(7)
    now = asked_in_vain(gaps)

    assert gaps.stuck({PART: 9}, now=now - 0.1) == []
    assert gaps.stuck({PART: 7}, now=now) == []
    assert gaps.stuck({PART: 9}, now=now) == [PART]
    gaps.takes(PART, 7, now=now)
    assert gaps.stuck({PART: 9}, now=now) == []


@dataclass
class Host:
    """Delivers what it likes of a log, until it is asked: then it begins again there."""

    log: list[int]
    at: int = 0
    taken: list[int] = field(default_factory=list)

    def deliver(self, gaps: Gaps, passes_over: int, *, now: float) -> None:
        self.at += passes_over
        if self.at < len(self.log):
            if gaps.takes(PART, self.log[self.at], now=now):
                self.taken.append(self.log[self.at])
            self.at += 1

    def answer(self, gaps: Gaps, *, now: float) -> None:
        for _ in gaps.overdue({PART: self.log[-1] + 1}, now=now):
            start = gaps.asked(PART, first=self.log[0], now=now)
            self.at = next(i for i, offset in enumerate(self.log) if offset >= start)


@settings(max_examples=200)
@given(
    st.integers(0, 3),
    st.integers(1, 30),
    st.lists(st.tuples(st.integers(0, 4), st.floats(0, 0.9)), max_size=60),
)
def test_whatever_is_passed_over_every_row_is_taken_once_and_in_order(
    first: int, rows: int, deliveries: list[tuple[int, float]]
) -> None:
    host, gaps, now = Host(list(range(first, first + rows))), expecting(0), 0.0
    for passes_over, pause in deliveries:
        now += pause
        host.deliver(gaps, passes_over, now=now)
        host.answer(gaps, now=now)

    for _ in range(3 * rows + 6):  # and then it delivers as it should
        now += PATIENCE_SECONDS
        host.answer(gaps, now=now)
        host.deliver(gaps, 0, now=now)

    assert host.taken == host.log
