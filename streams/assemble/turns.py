"""Which spans of a trace make one answer: a trace may hold a session, or a batch, of many.

A turn is the lowest step that holds both what was retrieved and an answer. The spans of a turn
need no common step that we understand: a web server's span above them will do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from streams.assemble.dialect import RETRIEVING
from streams.assemble.tree import Node, age

STEPS = frozenset({"turn", "agent", "chain"})
"""The roles of what other spans are within."""

_EVIDENCE = frozenset({*RETRIEVING, "tool"})

MIN_SESSION = 2
"""So many whole turns make a session of a step that says nothing itself."""


@dataclass(frozen=True)
class Exchange:
    """One answer's spans: `entry` is the one above the others, `nodes` those that say something."""

    entry: Node
    nodes: tuple[Node, ...]

    @cached_property
    def heads(self) -> list[Node]:
        """The outermost steps with an answer in them; without any, the step that is the entry."""
        steps = (node for node in self.nodes if node.role in STEPS)
        members = set(self.nodes)
        outermost = (step for step in steps if members.isdisjoint(step.above()))
        heads = [step for step in outermost if any(node.answers for node in step.below())]
        return heads or [node for node in self.nodes[:1] if node.role in STEPS]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """The topmost span of a branch that says something, and what is to be found below it."""

    top: Node
    evidence: bool
    answers: bool

    @property
    def step(self) -> bool:
        """Whether it is a step with an answer in it. A lone model call is none."""
        return self.answers and self.top.role in STEPS

    @property
    def whole(self) -> bool:
        """Whether it has all that a turn needs."""
        return self.top.role == "turn" or (self.step and self.evidence)


def turns(roots: Sequence[Node]) -> list[Exchange]:
    """Return the turns of a trace, the oldest first; none where nobody answered.

    Steps that answered without any evidence are turns of their own. Beside turns, a model's call
    that stands alone is a helper (it puts a query in other words, finds a title), and no turn.
    """
    found, loose = _split(roots, None)
    found += [_turn(part.top, [part]) for part in loose if part.step]
    return sorted(found or _unspoken(loose), key=lambda turn: age(turn.entry.span))


def _unspoken(parts: Sequence[_Part]) -> list[Exchange]:
    """Return the turns of a trace in which no step has an answer of a model in it.

    Lone calls are one turn, what was retrieved on its own with them. Where no model was called,
    or none that is traced, it is the steps that retrieved something and said something.
    """
    if any(node.role == "model" for part in parts for node in part.top.below()):
        return [_turn(None, parts)]
    steps = [part for part in parts if part.evidence and part.top.role in STEPS]
    return [_turn(part.top, [part]) for part in steps if part.top.text is not None]


def _split(roots: Sequence[Node], within: Node | None) -> tuple[list[Exchange], list[_Part]]:
    """Return the whole turns of the trees below `within`, and the parts that make none."""
    found: list[Exchange] = []
    held: dict[Node | None, list[_Part]] = {}
    quiet: list[Node] = []
    stack = list(reversed(roots))
    while stack:
        node = stack.pop()
        if node.role is None:
            quiet.append(node)
            stack.extend(reversed(node.children))
        elif within is None and (session := _session(node)):
            found += session
        elif (part := _part(node)).whole:
            found.append(_turn(node, [part]))
        else:
            held.setdefault(node.parent, []).append(part)
    for node in reversed(quiet):  # what is below comes first
        loose = held.pop(node, [])
        if _complete(loose):
            found.append(_turn(node, loose))
        elif loose:
            held.setdefault(node.parent, []).extend(loose)
    loose = held.get(within, [])
    return ([*found, _turn(within, loose)], []) if _complete(loose) else (found, loose)


def _session(node: Node) -> list[Exchange]:
    """Return the turns of a step that was asked nothing itself, where it is one of several."""
    if node.role not in STEPS or len(node.children) < MIN_SESSION or node.asked or node.text:
        return []
    found, loose = _split(node.children, node)
    return found if len(found) >= MIN_SESSION and not any(part.answers for part in loose) else []


def _part(top: Node) -> _Part:
    nodes = list(top.below())
    return _Part(
        top=top,
        evidence=any(node.role in _EVIDENCE for node in nodes),
        answers=any(node.answers for node in nodes),
    )


def _complete(parts: Sequence[_Part]) -> bool:
    return any(part.evidence for part in parts) and any(part.answers for part in parts)


def _turn(entry: Node | None, parts: Sequence[_Part]) -> Exchange:
    nodes = [node for part in parts for node in part.top.below() if node.role is not None]
    nodes.sort(key=lambda node: age(node.span))
    return Exchange(entry or nodes[0], tuple(nodes))
