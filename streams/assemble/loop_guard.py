"""The loop guard: which spans come of judging, ours or anybody's, and are never judged themselves.

Without it, a collector that feeds our telemetry back into our input makes us score our own scores.
"""

from streams.assemble.content.values import among
from streams.assemble.span import Span, Value
from streams.telemetry.conventions import CALL_NAME, SCOPE, SPAN_KIND

OUR_NAME = SCOPE
"""Our `service.name`, unless it is set otherwise, and the scope of every span that we make."""

_KINDS = (SPAN_KIND, "langfuse.observation.type", "mlflow.spanType")
_JUDGING = frozenset({"EVALUATOR", "DECISION", "GUARDRAIL"})

_JUDGING_OPERATIONS = frozenset({"evaluation", "apply_guardrail", "run_guardrail"})
"""None of them is settled yet: the first is proposed for evaluations, the others for guardrails."""


def comes_of_judging(span: Span) -> bool:
    """Say whether a span is our own, or that of an evaluator, a decision or a guardrail.

    What it calls is of no interest either: `tree.grow` leaves out everything below it.
    """
    attributes = span.attributes
    if (
        span.resource.get("service.name") == OUR_NAME
        or span.scope.name == OUR_NAME
        or among(attributes.get(CALL_NAME), _JUDGING_OPERATIONS)
    ):
        return True
    kinds = [attributes[name] for name in _KINDS if name in attributes]
    return any(_judges(kind) for kind in kinds)


def _judges(kind: Value) -> bool:
    """Say whether a kind is one of judging. MLflow writes it as JSON, in quotes."""
    return isinstance(kind, str) and kind.strip('"').upper() in _JUDGING
