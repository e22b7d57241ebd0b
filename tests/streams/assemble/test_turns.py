"""Which spans make one answer, where a trace holds more than one or no step around them."""

from streams.assemble.dialects.known import hearing
from streams.assemble.span import Span
from streams.assemble.tree import grow
from streams.assemble.turns import Exchange, turns
from tests.streams.assemble.making import an_id, chat, retrieval, span, step


def found(*spans: Span) -> list[Exchange]:
    return turns(grow(spans, hearing()))


def ids(turn: Exchange) -> list[str]:
    return [node.span.span_id for node in turn.nodes]


def test_a_web_server_s_span_around_them_will_do() -> None:
    [turn] = found(span(1, at=0, ends=9), retrieval(2, 1, at=1), chat(3, 1, at=2))

    assert turn.entry.span.span_id == an_id(1)
    assert ids(turn) == [an_id(2), an_id(3)]


def test_each_step_of_a_session_with_all_that_a_turn_needs_is_a_turn() -> None:
    session = [span(1, at=0, ends=99)]
    for number, at in ((10, 1), (20, 11)):
        session += [
            step(number, 1, at=at, ends=at + 8, asked="When?", says="At ten."),
            retrieval(number + 1, number, at=at + 1),
            chat(number + 2, number, at=at + 3),
        ]

    first, second = found(*session)

    assert ids(first) == [an_id(10), an_id(11), an_id(12)]
    assert ids(second) == [an_id(20), an_id(21), an_id(22)]
    assert (first.entry.span.span_id, second.entry.span.span_id) == (an_id(10), an_id(20))


def test_a_session_that_is_a_step_itself_and_says_nothing_is_taken_apart_too() -> None:
    session = [step(1, None, at=0, ends=99)]
    for number, at in ((10, 1), (20, 11)):
        session += [
            step(number, 1, at=at, ends=at + 8),
            retrieval(number + 1, number, at=at + 1),
            chat(number + 2, number, at=at + 3),
        ]

    assert [turn.entry.span.span_id for turn in found(*session)] == [an_id(10), an_id(20)]


def test_agents_that_work_for_one_answer_are_one_turn() -> None:
    crew = [step(1, None, at=0, ends=99, asked="When?", says="At ten.")]
    for number, at in ((10, 1), (20, 11)):
        crew += [
            step(number, 1, at=at, ends=at + 8),
            retrieval(number + 1, number, at=at + 1),
            chat(number + 2, number, at=at + 3),
        ]

    assert [turn.entry.span.span_id for turn in found(*crew)] == [an_id(1)]


def test_steps_that_say_nothing_to_us_keep_their_turns_apart() -> None:
    batch = [span(1, at=0, ends=99)]
    for number in (10, 20):  # both at the same time
        batch += [
            span(number, 1, at=1, ends=9),
            span(number + 1, number, at=1, ends=3),
            retrieval(number + 2, number + 1, at=2),
            chat(number + 3, number, at=4),
        ]

    first, second = found(*batch)

    assert ids(first) == [an_id(12), an_id(13)]
    assert ids(second) == [an_id(22), an_id(23)]


def test_a_rewritten_query_before_the_retrieval_is_no_turn() -> None:
    spans = [
        span(1, at=0, ends=99),
        chat(2, 1, at=1, says="opening hours"),
        step(3, 1, at=3, ends=9, asked="When?", says="At ten."),
        retrieval(4, 3, at=4),
        chat(5, 3, at=6),
    ]

    assert [turn.entry.span.span_id for turn in found(*spans)] == [an_id(3)]


def test_spans_whose_root_is_lost_are_one_turn_if_they_have_one_answer() -> None:
    [turn] = found(retrieval(2, 77, at=1), chat(3, 78, at=2))

    assert ids(turn) == [an_id(2), an_id(3)]
    assert turn.entry.span.span_id == an_id(2)


def test_steps_before_and_after_a_retrieval_are_one_turn() -> None:
    [turn] = found(
        span(1, at=0, ends=99),
        step(2, 1, at=1, ends=3),
        chat(3, 2, at=2, says="opening hours"),
        retrieval(4, 1, at=5),
        step(5, 1, at=7, ends=9),
        chat(6, 5, at=8),
    )

    assert turn.entry.span.span_id == an_id(1)
    assert ids(turn) == [an_id(n) for n in (2, 3, 4, 5, 6)]


def test_steps_that_answered_without_any_evidence_are_turns_too() -> None:
    first, second = found(
        span(1, at=0, ends=99),
        step(2, 1, at=1, ends=3),
        chat(3, 2, at=2),
        step(5, 1, at=7, ends=9),
        chat(6, 5, at=8),
    )

    assert (ids(first), ids(second)) == ([an_id(2), an_id(3)], [an_id(5), an_id(6)])


def test_a_trace_without_a_model_or_an_answer_has_no_turn() -> None:
    assert found(span(1), retrieval(2, 1, at=1)) == []
    assert found() == []


def test_where_no_model_is_traced_the_step_that_retrieved_and_spoke_is_a_turn() -> None:
    [turn] = found(
        step(1, None, at=0, ends=9, asked="When?", says="At ten."), retrieval(2, 1, at=1)
    )

    assert turn.entry.span.span_id == an_id(1)


def test_a_loop_of_tool_calls_is_one_turn() -> None:
    [turn] = found(
        span(1, at=0, ends=99),
        span(2, 1, at=1, ends=5),
        chat(3, 2, at=1, calls=True, says=None),
        retrieval(4, 2, at=3),
        chat(5, 1, at=6),
    )

    assert turn.entry.span.span_id == an_id(1)
    assert ids(turn) == [an_id(3), an_id(4), an_id(5)]
