"""A tracker under any order of events, through any number of restarts."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from streams.tracker import Tracker
from tests.streams.test_tracker import bits


class AnyOrder(RuleBasedStateMachine):
    """A tracker against sets of offsets, through restarts from what it would have committed."""

    span = 40

    def __init__(self) -> None:
        super().__init__()
        self.tracker = Tracker(0, span=self.span)
        self.batch: list[int] = []  # handed out, not yet decided
        self.open: set[int] = set()
        self.finished: set[int] = set()  # over all lives: decided, and needing no more work
        self.sealed = 0  # tallies are written of all rows below
        self.committed = 0

    @initialize(pattern=st.lists(st.booleans(), min_size=1, max_size=8))
    def write_a_log(self, pattern: list[bool]) -> None:
        self.rows = {at for at in range(5000) if pattern[at % len(pattern)]}

    @precondition(lambda self: not self.batch and self.tracker.room > 0)
    @rule(width=st.integers(1, 12))
    def hand_out(self, width: int) -> None:
        start = self.tracker.position
        upto = start + min(width, self.tracker.room)
        self.batch = [at for at in range(start, upto) if at in self.rows]
        if self.batch:
            self.tracker.hand_out(self.batch[-1])
        self.tracker.skip(upto)

    @precondition(lambda self: self.batch)
    @rule(data=st.data())
    def open_one(self, data: st.DataObject) -> None:
        at = data.draw(st.integers(0, len(self.batch) - 1))
        row = self.batch[at]
        if self.tracker.finished(row):
            return
        self.finished.update(self.batch[:at])
        self.batch = self.batch[at + 1 :]
        self.open.add(row)
        self.tracker.open(row)
        if not self.batch:
            self.tracker.passed(row)

    @precondition(lambda self: self.batch)
    @rule()
    def pass_batch(self) -> None:
        self.finished.update(self.batch)
        self.tracker.passed(self.batch[-1])
        self.batch = []

    @precondition(lambda self: self.open)
    @rule(data=st.data(), twice=st.booleans())
    def done(self, data: st.DataObject, twice: bool) -> None:
        row = data.draw(st.sampled_from(sorted(self.open)))
        self.open.discard(row)
        self.finished.add(row)
        for _ in range(1 + twice):
            self.tracker.done(row)

    @rule()
    def seal(self) -> None:
        self.sealed = max(self.sealed, self.tracker.position)
        self.tracker.seal(self.sealed)

    @rule()
    def commit_and_restart(self) -> None:
        offset, bitmap = self.tracker.committable()
        self.committed = self.sealed = offset
        self.tracker = Tracker(offset, earlier=bitmap, span=self.span)
        self.batch, self.open = [], set()
        self.finished = {row for row in self.finished if row < offset} | {
            row for row in self.rows if self.tracker.finished(row)
        }

    @invariant()
    def never_past_a_row_that_is_open_undecided_or_untallied(self) -> None:
        offset, _ = self.tracker.committable()
        below = {row for row in self.rows if row < offset}
        assert below <= self.finished - self.open - set(self.batch)
        assert all(row < self.sealed for row in below if row >= self.committed)

    @invariant()
    def the_map_calls_nothing_finished_that_is_not(self) -> None:
        offset, bitmap = self.tracker.committable()
        assert bits(bitmap, of=offset) & self.rows <= self.finished - self.open

    @invariant()
    def the_map_forgets_nothing_that_is_finished(self) -> None:
        offset, bitmap = self.tracker.committable()
        known = {row for row in self.finished & self.rows if row >= offset}
        assert known - self.open <= bits(bitmap, of=offset)

    @invariant()
    def the_commit_never_goes_back(self) -> None:
        offset, _ = self.tracker.committable()
        assert offset >= self.committed
        self.committed = offset

    @invariant()
    def the_span_is_bounded(self) -> None:
        offset, bitmap = self.tracker.committable()
        assert self.tracker.position - offset <= self.span
        assert len(bitmap) * 8 < self.span + 8

    def teardown(self) -> None:
        if self.batch:
            self.pass_batch()
        for row in sorted(self.open):
            self.tracker.done(row)
        self.tracker.seal(self.tracker.position)
        assert self.tracker.committable()[0] == self.tracker.position


AnyOrder.TestCase.settings = settings(max_examples=60, stateful_step_count=40)
TestAnyOrder = AnyOrder.TestCase
