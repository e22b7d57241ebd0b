"""Requests to judges' models as OpenTelemetry counts the calls of any client of such models."""

from dataclasses import dataclass, field

from scorers.judges.observed import Call
from streams.telemetry import conventions as names
from streams.telemetry.capped import Capped
from streams.telemetry.meters import Meters
from streams.telemetry.metrics import Metric

_KINDS = {"chat": ("chat", "openai")}
"""Operation and provider by judge: the provider is whose dialect is spoken, whoever speaks it."""


@dataclass(frozen=True, slots=True)
class CallMeter:
    """Hears of each request. What a reply calls its model is bounded: it comes from outside."""

    meters: Meters
    resolved: Capped = field(default_factory=lambda: Capped(most=50))

    def __call__(self, call: Call) -> None:
        """Count one request."""
        operation, provider = _KINDS.get(call.judge, (call.judge, names.SCOPE))
        who = {names.CALL_NAME: operation, names.PROVIDER: provider}
        if call.model is not None:
            who[names.REQUEST_MODEL] = call.model
        if call.resolved is not None:
            who[names.RESPONSE_MODEL] = self.resolved(call.resolved)
        ended = who if call.error is None else who | {names.ERROR_TYPE: call.error}
        self.meters.record(Metric.CALL_SECONDS, call.usage.seconds, ended)
        for kind, tokens in (
            ("input", call.usage.input_tokens),
            ("output", call.usage.output_tokens),
        ):
            if tokens:
                self.meters.record(Metric.CALL_TOKENS, tokens, who | {names.TOKEN_TYPE: kind})
