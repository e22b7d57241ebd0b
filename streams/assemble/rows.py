"""From the spans of one trace to rows: for each turn a question, what was retrieved, an answer.

Pure: the same spans give the same rows, in whatever order they come and however often.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta

from schemas.trace import RagTrace
from streams.assemble.content.values import text
from streams.assemble.dialect import Dialect, Reader
from streams.assemble.dialects.known import hearing
from streams.assemble.evidence import TraceEvidence, evidence, tool_results
from streams.assemble.span import Span
from streams.assemble.speech import answer, history, question
from streams.assemble.tree import Hear, Node, grow
from streams.assemble.turns import STEPS, Exchange, turns
from streams.intake.labels import label

MakeRows = Callable[[Sequence[Span]], Sequence[RagTrace]]
"""Makes the rows of one trace's spans: `rows`, told what to hear and whose they are."""

UNKNOWN_SERVICE = "unknown_service"
"""What OpenTelemetry calls a process that does not name itself."""

_KNOWN = hearing()
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ENVIRONMENTS = ("deployment.environment.name", "deployment.environment")


def rows(
    spans: Sequence[Span],
    *,
    hear: Hear = _KNOWN,
    assistant: tuple[str, str] | None = None,
) -> list[RagTrace]:
    """Return the rows of one trace's spans, by the time of their answers; often one, or none.

    `hear` tells their dialects (`hearing` of a mapping); `assistant` is (service, environment) of
    all rows, where they are of one. Raises nothing: what cannot be recovered is None, and named in
    `missing`. A row is known by its trace and its `root_span_id`, the span above all others of its
    turn.
    """
    roots = grow(spans, hear)
    whole = all(root.span.parent_id is None for root in roots)
    found = [_row(turn, assistant, whole=whole) for turn in turns(roots)]
    return sorted(found, key=lambda row: (row.answered_at, row.span_id, row.root_span_id))


def _row(turn: Exchange, assistant: tuple[str, str] | None, *, whole: bool) -> RagTrace:
    said = answer(turn)
    speaker, entry = said.speaker, turn.entry
    known = evidence(turn.nodes, speaker.heard)
    contexts = [passage.text for passage in known.passages or ()]
    asked = question(turn, speaker, contexts)
    service, environment = assistant or _assistant(turn, speaker)
    content = {"question": asked, "contexts": known.passages, "answer": said.text}
    lost = [name for name, value in {"service": service, **content}.items() if value is None]
    near = (entry, speaker, *turn.nodes)
    return RagTrace(
        trace_id=entry.span.trace_id,
        span_id=speaker.span.span_id,
        root_span_id=entry.span.span_id,
        response_id=label(_told([speaker], lambda dialect: dialect.response)),
        service=service or UNKNOWN_SERVICE,
        environment=environment or "production",
        session_id=label(_told(near, lambda dialect: dialect.session)),
        answered_at=_instant(max(speaker.span.end_ns, speaker.span.start_ns)),
        question=asked,
        history=history(speaker.heard),
        contexts=known.passages,
        answer=said.text,
        tool_results=tool_results(turn.nodes, speaker.heard),
        attributes=_attributes(turn, speaker, known, whole=whole),
        dialect=next(node.dialect.name for node in near if node.dialect),
        missing=tuple(lost),
    )


def _attributes(
    turn: Exchange, speaker: Node, known: TraceEvidence, *, whole: bool
) -> dict[str, str]:
    models = (speaker, *(node for node in turn.nodes if node.role == "model"), *turn.nodes)
    labels = {
        "model": _told(models, lambda dialect: dialect.model),
        "prompt_version": _told(models, lambda dialect: dialect.prompt_version),
        "service_version": text(turn.entry.span.resource.get("service.version")),
        "context_source": known.origin,
        "root_missing": None if whole else "true",
    }
    return {name: short for name, value in labels.items() if (short := label(value)) is not None}


def _assistant(turn: Exchange, speaker: Node) -> tuple[str | None, str | None]:
    """Return the service and the environment of the turn's own process.

    That is the process of the span around the turn, or else the one that asked the model.
    """
    around = turn.entry.role is None or turn.entry.role in STEPS
    resource = (turn.entry if around else speaker).span.resource
    told = _told(turn.nodes, lambda dialect: dialect.environment)
    named = (text(resource.get(name)) for name in _ENVIRONMENTS)
    return text(resource.get("service.name")), told or next((n for n in named if n), None)


def _told(nodes: Iterable[Node], what: Callable[[Dialect], Reader[str]]) -> str | None:
    """Return the first that is told of the nodes."""
    for node in nodes:
        if node.dialect and (told := what(node.dialect)(node.span)) is not None:
            return told
    return None


def _instant(nanoseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=nanoseconds // 1_000)
