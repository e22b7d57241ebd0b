from schemas.trace import Turn
from scorers.evidence.conversation import LAST_TURNS, TURN_CHARACTERS, lately
from scorers.questions import Evidence
from tests.fakes import a_trace


def said(*texts: str) -> tuple[Turn, ...]:
    return tuple(Turn(role="user", text=text) for text in texts)


def test_the_last_turns_are_shown_in_their_order_and_blank_ones_are_none() -> None:
    trace = a_trace().model_copy(update={"history": said("a", "b", "c", " ", "d", "e")})

    assert [turn.text for turn in lately(trace)] == ["b", "c", "d", "e"]


def test_what_is_shown_is_bounded_however_much_was_said() -> None:
    long = Turn(role="r" * 10_000, text="The mill. " * 10_000)
    trace = a_trace().model_copy(update={"history": (long,) * 100})

    shown = lately(trace)

    assert len(shown) == LAST_TURNS
    assert all(len(turn.text) == TURN_CHARACTERS for turn in shown)
    assert all(turn.text.startswith("The mill.") for turn in shown)
    assert sum(len(turn.role) for turn in shown) < TURN_CHARACTERS


def test_history_that_is_evidence_already_is_not_shown_twice() -> None:
    trace = a_trace().model_copy(update={"history": said("a")})

    assert lately(trace, (Evidence("turn:1", "a", "history"),)) == ()


def test_a_row_without_a_past_has_no_turns() -> None:
    assert lately(a_trace()) == ()
