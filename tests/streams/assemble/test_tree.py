"""Trees of spans, whatever order they come in."""

import gc
from dataclasses import replace
from weakref import ref

from streams.assemble.dialects.known import hearing
from streams.assemble.span import Span
from streams.assemble.tree import Node, grow
from tests.streams.assemble.making import an_id, span


def grown(*spans: Span) -> list[Node]:
    return grow(spans, hearing())


def test_a_span_whose_parent_is_not_here_is_a_root_and_children_stand_by_age() -> None:
    roots = grown(span(3, 1, at=2), span(9, 77, at=5), span(2, 1, at=1), span(1, at=0, ends=9))

    assert [root.span.span_id for root in roots] == [an_id(1), an_id(9)]
    assert [node.span.span_id for node in roots[0].below()] == [an_id(1), an_id(2), an_id(3)]
    assert [node.span.span_id for node in roots[0].children[1].above()] == [an_id(1)]


def test_a_span_that_came_twice_is_there_once_and_the_fuller_copy_counts() -> None:
    early, late = span(1, ends=1), span(1, ends=2, attributes={"app.note": "done"})

    for order in ([early, late], [late, early], [early, late, early]):
        [root] = grown(*order)
        assert root.span == late


def test_spans_in_a_ring_of_parents_hang_nobody() -> None:
    ring = [span(1, 3, at=2), span(2, 1, at=1), span(3, 2, at=3), span(4, 3, at=4)]

    [root] = grown(*ring)

    assert root.span.span_id == an_id(2)
    assert [node.span.span_id for node in root.below()] == [an_id(n) for n in (2, 3, 1, 4)]


def test_a_span_that_is_its_own_parent_is_a_root() -> None:
    [root] = grown(span(1, 1))

    assert (root.span.span_id, root.children) == (an_id(1), [])


def test_a_trace_may_be_deeper_than_the_interpreter_s_stack() -> None:
    chain = [span(n, n - 1 or None, at=n, ends=9_999 - n) for n in range(1, 2_001)]

    [root] = grown(*reversed(chain))

    assert len(list(root.below())) == 2_000


def test_all_below_what_judges_is_left_out() -> None:
    judging = replace(span(2, 1), attributes={"openinference.span.kind": "EVALUATOR"})

    [root] = grown(span(1), judging, span(3, 2), span(4, 1))

    assert [node.span.span_id for node in root.below()] == [an_id(1), an_id(4)]


def test_a_tree_is_freed_without_the_collector() -> None:
    gc.disable()
    try:
        roots = grown(span(1, ends=9), span(2, 1), replace(span(3, 1), attributes=_JUDGING))
        below = ref(roots[0].children[0])

        del roots

        assert below() is None
    finally:
        gc.enable()


_JUDGING = {"openinference.span.kind": "EVALUATOR"}
