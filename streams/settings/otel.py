"""Which signals OpenTelemetry's own variables let out: its exporters read the rest themselves."""

from collections.abc import Mapping
from typing import Literal, get_args

OtelSignal = Literal["metrics", "traces", "logs"]
"""What OpenTelemetry has exporters for."""

SIGNALS: tuple[OtelSignal, ...] = get_args(OtelSignal)


def exported(variables: Mapping[str, str]) -> frozenset[OtelSignal]:
    """Return the signals for which a collector is named, and that are not forbidden."""
    if variables.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return frozenset()
    return frozenset(signal for signal in SIGNALS if _exported(signal.upper(), variables))


def _exported(signal: str, variables: Mapping[str, str]) -> bool:
    if variables.get(f"OTEL_{signal}_EXPORTER", "otlp").lower() != "otlp":
        return False
    named = (f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
    return any(variables.get(name) for name in named)
