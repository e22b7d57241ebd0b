"""Whose turn it is, and who pauses: pure."""

from streams.kafka.turns import PATIENCE_SECONDS, Pauses, Turns


def test_whoever_was_served_goes_last_and_newcomers_come_first() -> None:
    turns = Turns()
    turns.of([0, 1])

    turns.served(0)

    assert turns.of([0, 1, 2]) == [2, 1, 0]


def test_only_a_lasting_lack_of_room_pauses_and_half_of_it_resumes() -> None:
    pauses = Pauses()

    assert pauses.weigh({0: 0.0}, now=10) == ([], [])
    assert pauses.weigh({0: 0.0}, now=10 + PATIENCE_SECONDS) == ([0], [])
    assert pauses.weigh({0: 0.4}, now=20) == ([], [])
    assert pauses.weigh({0: 0.5}, now=21) == ([], [0])


def test_a_rebalance_ends_all_pauses() -> None:
    """The client forgets its pauses then: who went on believing in one would never resume."""
    pauses = Pauses()
    pauses.weigh({0: 0.0}, now=10)
    pauses.weigh({0: 0.0}, now=20)

    pauses.forget()

    assert not pauses.paused
    assert pauses.weigh({0: 0.0}, now=21) == ([], [])
