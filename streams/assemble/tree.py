"""The spans of one trace as trees, whatever their order: what is above whom, and who says what."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from weakref import ReferenceType, ref

from streams.assemble.content.messages import Message
from streams.assemble.content.passages import RetrievedDocument
from streams.assemble.dialect import Dialect, Role
from streams.assemble.loop_guard import comes_of_judging
from streams.assemble.span import Span

Hear = Callable[[Span], Dialect | None]
"""Says what a span speaks: None for that of a web server, a job, a database."""


@dataclass(eq=False)
class Node:
    """A span in its tree, and what it says: each thing is read once, when it is first asked for.

    `dialect` None: it says nothing that we understand, and has no role.
    """

    span: Span
    dialect: Dialect | None
    children: list["Node"] = field(default_factory=list)
    _parent: "ReferenceType[Node] | None" = field(default=None, repr=False)
    """Weak, so that a tree is freed with its roots and leaves no rings to the collector."""

    @property
    def parent(self) -> "Node | None":
        """What it is within, None for a root."""
        return None if self._parent is None else self._parent()

    @parent.setter
    def parent(self, node: "Node | None") -> None:
        self._parent = None if node is None else ref(node)

    @cached_property
    def role(self) -> Role | None:
        """What it did."""
        return self.dialect.role(self.span) if self.dialect else None

    @cached_property
    def asked(self) -> str | None:
        """The question in what it was given."""
        return self.dialect.asked(self.span) if self.dialect else None

    @cached_property
    def said(self) -> Message | None:
        """What it said or gave back."""
        return self.dialect.said(self.span) if self.dialect else None

    @cached_property
    def heard(self) -> Sequence[Message]:
        """The messages that it was given."""
        return self.dialect.heard(self.span) if self.dialect else ()

    @cached_property
    def found(self) -> Sequence[RetrievedDocument] | None:
        """The passages that it gave back."""
        return self.dialect.found(self.span) if self.dialect else None

    @cached_property
    def answers(self) -> bool:
        """Whether an answer is from here: of a model that asked for no tool, an agent, a turn."""
        if self.role == "model":
            return self.said is None or not self.said.calls
        if self.role == "agent":
            return self.text is not None and all(node.role != "model" for node in self.below())
        return self.role == "turn"

    @property
    def text(self) -> str | None:
        """What it said, where that is a text."""
        return self.said.text if self.said else None

    def below(self) -> Iterator["Node"]:
        """Yield the node and all below it: each before what is below it, the oldest first."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def above(self) -> Iterator["Node"]:
        """Yield what is above the node, the nearest first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent


def grow(spans: Sequence[Span], hear: Hear) -> list[Node]:
    """Return the roots of one trace's spans, the oldest first; children likewise.

    A root has no parent, or one that is not here. A span that came twice is there once. What
    judges an answer (`loop_guard`) is left out, with everything that was done for it.
    """
    nodes = {span.span_id: Node(span, hear(span)) for span in _distinct(spans)}
    for node in nodes.values():
        node.parent = nodes.get(node.span.parent_id or "")
    _cut_rings(nodes.values())
    roots: list[Node] = []
    for node in nodes.values():
        if not comes_of_judging(node.span):
            (roots if node.parent is None else node.parent.children).append(node)
    return roots


def age(span: Span) -> tuple[int, int, str]:
    """Return what puts spans in order: their start, and what is longer before what is within it."""
    return span.start_ns, -span.end_ns, span.span_id


def _distinct(spans: Sequence[Span]) -> list[Span]:
    """Return each span once, the oldest first. Of copies that differ the fullest is taken."""
    known: dict[str, Span] = {}
    for span in spans:
        other = known.get(span.span_id)
        if other is None or (other != span and _fullness(other) < _fullness(span)):
            known[span.span_id] = span
    return sorted(known.values(), key=age)


def _fullness(span: Span) -> tuple[int, int, str]:
    return span.end_ns, len(span.attributes) + len(span.events), repr(span)


def _cut_rings(nodes: Iterable[Node]) -> None:
    """Make a root of the oldest span in each ring of parents: no sane tracer writes one."""
    safe: set[Node] = set()
    for node in nodes:
        path: dict[Node, None] = {}
        at: Node | None = node
        while at is not None and at not in safe and at not in path:
            path[at] = None
            at = at.parent
        if at is not None and at in path:
            ring = list(path)
            min(ring[ring.index(at) :], key=lambda one: age(one.span)).parent = None
        safe.update(path)
