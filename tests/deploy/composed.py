"""What deploy/compose.yaml says, and what it has its services read."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.deploy.worlds import PROJECT

DEPLOY = PROJECT / "deploy"
COMPOSE = DEPLOY / "compose.yaml"
SETTINGS = DEPLOY / "streamgauge" / "compose.yaml"
COLLECTOR = DEPLOY / "otel-collector.yaml"


def services() -> Mapping[str, Any]:
    """Return every service by its name."""
    found: Mapping[str, Any] = yaml.safe_load(COMPOSE.read_text())["services"]
    return found


def ours() -> dict[str, Any]:
    """Return the services of our own image."""
    return {name: one for name, one in services().items() if one["image"] == "streamgauge"}


def mounts(service: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield what a service mounts, where, and how."""
    for volume in service.get("volumes", ()):
        source, target, *how = volume.split(":")
        yield source, target, "".join(how)


def mounted_in(service: Mapping[str, Any], target: str) -> Path:
    """Return our file that a service has there."""
    (found,) = [source for source, there, _ in mounts(service) if there == target]
    return (DEPLOY / found).resolve()


def node_settings(addresses: Mapping[str, str]) -> dict[str, str]:
    """Return what the broker is told, as properties; its listeners at these addresses instead.

    `addresses` are by `host:port` as the file has them; without a host it is any of its own.
    """
    told = services()["kafka"]["environment"]
    named = {name.removeprefix("KAFKA_"): value for name, value in told.items()}
    kept = {name: value for name, value in named.items() if name not in {"CLUSTER_ID", "LOG_DIRS"}}
    for there, here in addresses.items():
        for before in ("://", "@"):
            kept = {n: v.replace(before + there, before + here) for n, v in kept.items()}
    return {name.lower().replace("_", "."): value for name, value in kept.items()}
