"""What a property test finds counts, and never how long a busy machine takes over it."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "patient",
    parent=settings(),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("patient")
