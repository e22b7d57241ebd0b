"""Where signals go, how long a collector may take for them, and whose they are."""

from datetime import timedelta

from opentelemetry.sdk.resources import OTELResourceDetector, Resource

from streams.settings.otel import OtelSignal

ANSWER = timedelta(seconds=3)
"""How long a collector may take."""


def endpoint(otlp: str | None, signal: OtelSignal) -> str | None:
    """Return where a collector takes a signal; None leaves that to the OTEL_ variables."""
    return otlp and otlp.rstrip("/").removesuffix(f"/v1/{signal}") + f"/v1/{signal}"


def resource(*, version: str, instance: str) -> Resource:
    """Return whose signals they are; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win."""
    ours = {"service.name": "streamgauge", "service.version": version}
    named = Resource({**ours, "service.instance.id": instance})
    return named.merge(OTELResourceDetector().detect())
