"""When a member of a group is lost, when it only waits, and when it has nothing to wait for."""

from dataclasses import dataclass, field

from streams.kafka.held import Held, Holdings
from streams.kafka.membership import Membership
from streams.kafka.owed import Owed
from streams.tracker import Tracker


@dataclass
class Scene:
    """A member, with a time that is set by hand."""

    time: float = 1000.0
    deaf: bool = False
    holdings: Holdings = field(default_factory=Holdings)
    assignment: Owed = field(default_factory=Owed)
    commit: Owed = field(default_factory=Owed)

    @property
    def membership(self) -> Membership:
        deaf, stopwatch = (lambda: self.deaf), (lambda: self.time)
        return Membership(self.holdings, deaf, self.assignment, self.commit, stopwatch)

    def after(self, seconds: float) -> str | None:
        """Let time pass, and return why it is lost."""
        self.time += seconds
        return self.membership.lost


def test_a_group_that_hands_out_nothing_for_two_minutes_is_lost() -> None:
    scene = Scene()
    scene.assignment.owe(scene.time)

    assert scene.membership.trouble == "the group hands out its partitions"
    assert scene.after(120) is None
    assert scene.after(1) == "the group has handed out no partitions for 121 s"


def test_an_assignment_ends_the_wait() -> None:
    scene = Scene()
    scene.assignment.owe(scene.time)
    scene.time += 119

    scene.assignment.settle()

    assert scene.after(600) is None
    assert scene.membership.trouble is None


def test_rebalance_upon_rebalance_is_one_wait() -> None:
    scene = Scene()
    scene.assignment.owe(scene.time)
    scene.time += 119

    scene.assignment.owe(scene.time)

    assert scene.after(2) == "the group has handed out no partitions for 121 s"


def test_work_that_cannot_be_committed_for_five_minutes_is_the_end() -> None:
    scene = Scene()
    scene.commit.owe(scene.time)

    assert scene.after(300) is None
    assert scene.after(1) == "what is done could not be committed for 301 s"
    assert scene.membership.trouble is None


def test_where_no_broker_answers_a_new_start_helps_nobody() -> None:
    scene = Scene(deaf=True)
    scene.assignment.owe(scene.time)
    scene.commit.owe(scene.time)

    assert scene.after(1000) is None
    assert scene.membership.trouble == "no Kafka answers"


def test_partitions_that_are_not_taken_up_yet_are_named() -> None:
    scene = Scene()
    scene.holdings.assign([0, 1], 1)
    scene.holdings.take(0, Held(Tracker(0, 1), "topic-id", since=0))

    assert scene.membership.trouble == "partitions are being taken up: [1]"


def test_a_member_without_partitions_stands_by_and_is_well() -> None:
    scene = Scene()
    scene.holdings.assign([], 1)

    assert (scene.membership.trouble, scene.membership.lost) == (None, None)
