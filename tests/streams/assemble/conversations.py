"""Traces of an invented assistant, as OpenInference tells them: many, and told apart."""

import random
from collections.abc import Iterator, Sequence

from streams.assemble.span import Scope, Span, Value
from tests.streams.assemble.spans import SECOND_NS, trace_id

BEGAN_NS = 1_767_268_800 * SECOND_NS


def a_conversation(number: int, *, more: int = 2) -> list[Span]:
    """Return the spans of one question and answer: a chain, a retriever, a model, and `more`."""
    fact = f"The tower has {number} steps."
    chain = {"input.value": f"How many steps has tower {number}?", "output.value": fact}
    found = {
        "retrieval.documents.0.document.id": "1",
        "retrieval.documents.0.document.content": fact,
    }
    spoken = {"llm.output_messages.0.message.content": fact, "llm.model_name": "model-1"}
    return [
        _span(number, 0, "CHAIN", chain),
        _span(number, 1, "RETRIEVER", found),
        _span(number, 2, "LLM", spoken),
        *(_span(number, n, "TOOL", {"input.value": "x" * 40}) for n in range(3, 3 + more)),
    ]


def _span(trace: int, number: int, kind: str, said: dict[str, str]) -> Span:
    attributes: dict[str, Value] = {"openinference.span.kind": kind, **said}
    start = BEGAN_NS + (trace * 10 + number) * SECOND_NS
    return Span(
        trace_id=trace_id(trace),
        span_id=f"{number + 1:016x}",
        parent_id=f"{1:016x}" if number else None,
        name=kind.lower(),
        start_ns=start,
        end_ns=start + SECOND_NS,
        attributes=attributes,
        resource={"service.name": "towers"},
        scope=Scope("openinference.instrumentation.langchain", "0.1"),
    )


def in_pieces(spans: Sequence[Span], *, seed: int) -> Iterator[list[Span]]:
    """Yield the spans of one or more traces shuffled, in records of up to four, a third twice."""
    rng = random.Random(seed)
    some = [*spans, *rng.sample(spans, len(spans) // 3)]
    rng.shuffle(some)
    while some:
        yield [some.pop() for _ in range(min(rng.randint(1, 4), len(some)))]
