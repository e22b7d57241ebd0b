"""Whatever live traffic says, and when: the share stays a step, and never rests for good."""

from datetime import timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from schemas.mark import PartitionProgress
from streams.replay.politeness import GONE, STEP, STEPS, Politeness
from tests.streams.watch.records import a_mark, a_tally, at

LOOK = 5
"""Seconds from one decision to the next."""


class AnyDay(RuleBasedStateMachine):
    """Whatever live traffic says: bounded steps up, all the way down, and an end to every wait."""

    def __init__(self) -> None:
        super().__init__()
        self.polite = Politeness(0.3)
        self.second = 0
        self.ends = {0: 100, 1: 100}
        self.before = 1.0

    def _turn(self) -> None:
        self.second += LOOK
        self.before = self.polite.factor
        self.polite.turn(at(self.second))

    @rule(
        partition=st.integers(0, 1),
        came=st.integers(0, 500),
        lag=st.integers(0, 5000),
        epoch=st.integers(0, 2),
    )
    def mark(self, partition: int, came: int, lag: int, epoch: int) -> None:
        self.ends[partition] += came
        end = self.ends[partition]
        said = {partition: PartitionProgress(next=max(0, end - lag), end=end, epoch=epoch)}
        self.polite.hear(a_mark(self.second, said), at(self.second))
        self._turn()

    @rule(shed=st.integers(0, 3))
    def tally(self, shed: int) -> None:
        self.polite.hear(a_tally(self.second, rows=(0, 9), shed=shed), at(self.second))
        self._turn()

    @rule(looks=st.integers(1, 30))
    def silence(self, looks: int) -> None:
        for _ in range(looks):
            self._turn()

    @rule()
    def gone_for_good(self) -> None:
        for _ in range((GONE + STEPS * STEP) // timedelta(seconds=LOOK) + 2):
            self._turn()

        assert self.polite.factor == 1.0

    @invariant()
    def it_is_a_step_of_the_share(self) -> None:
        assert self.polite.factor in {step / STEPS for step in range(STEPS + 1)}
        assert 0 < self.polite.share() <= 0.3

    @invariant()
    def it_rises_by_one_step_or_falls_to_nothing(self) -> None:
        risen = self.polite.factor - self.before
        assert risen <= 1 / STEPS
        assert risen >= 0 or self.polite.factor == 0

    @invariant()
    def it_says_why_while_less_is_taken(self) -> None:
        assert (self.polite.because is None) == (self.polite.factor == 1.0)


TestAnyDay = AnyDay.TestCase
TestAnyDay.settings = settings(max_examples=50, stateful_step_count=20, deadline=None)
