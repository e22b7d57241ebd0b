"""Our own figures as OpenTelemetry metrics: the one package that knows OpenTelemetry."""
