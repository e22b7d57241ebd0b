"""What Kubernetes, and those who extend it, take for an object of theirs.

`kubernetes-validate` has every release's schemas, of which each is read once here. Of the custom
kinds only that is written down which the chart uses.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

VERSIONS = ("1.28", "1.31", "1.37")


def faults(one: dict[str, Any], version: str) -> list[str]:
    """Return what a release of Kubernetes would not take of an object; unknown fields are none."""
    found = _validator(one["apiVersion"], one["kind"], version).iter_errors(one)
    return [f"{error.json_path}: {error.message}" for error in found]


@cache
def _validator(api: str, kind: str, version: str) -> Draft202012Validator:
    if custom := CUSTOM.get((api, kind)):
        return Draft202012Validator(custom)
    group, _, number = api.rpartition("/")
    name = "-".join(filter(None, (kind.lower(), group.partition(".")[0], number)))
    return Draft202012Validator(_schema(f"{name}.json", version), registry=_registry(version))


@cache
def _registry(version: str) -> Registry[Any]:
    return Resource.from_contents(_schema("_definitions.json", version)) @ Registry()


def _schema(name: str, version: str) -> Any:
    folder = files("kubernetes_validate") / "kubernetes-json-schema"
    return json.loads((folder / f"v{version}.0-local-strict" / name).read_text(encoding="utf-8"))


def _only(required: tuple[str, ...] = (), **properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": properties,
    }


def _object(spec: dict[str, object]) -> dict[str, object]:
    whole = ("apiVersion", "kind", "metadata", "spec")
    return _only(whole, apiVersion=TEXT, kind=TEXT, metadata=_METADATA, spec=spec)


TEXT = {"type": "string"}
TEXTS = {"type": "object", "additionalProperties": TEXT}
COUNT = {"type": "integer", "minimum": 0}
DURATION = {"type": "string", "pattern": "^[0-9]+(ms|s|m|h|d)$"}
_METADATA = _only(("name",), name=TEXT, labels=TEXTS, annotations=TEXTS)
_LABELS = _only(("matchLabels",), matchLabels=TEXTS)
_NAMED = _only(("name",), name=TEXT)
_KEY = _only(("parameter", "name", "key"), parameter=TEXT, name=TEXT, key=TEXT)
_ENDPOINTS = {
    "type": "array",
    "items": _only(
        ("port",),
        port=TEXT,
        path=TEXT,
        interval=DURATION,
        relabelings={
            "type": "array",
            "items": _only(
                sourceLabels={"type": "array", "items": TEXT},
                targetLabel=TEXT,
                replacement=TEXT,
            ),
        },
    ),
}
_RULE = _only(
    ("expr",),
    record=TEXT,
    alert=TEXT,
    expr=TEXT,
    labels=TEXTS,
    annotations=TEXTS,
    **{"for": DURATION, "keep_firing_for": DURATION},
)
_GROUP = _only(("name", "rules"), name=TEXT, interval=DURATION, rules={"items": _RULE})
_MONITORING, _KEDA = "monitoring.coreos.com/v1", "keda.sh/v1alpha1"

CUSTOM: dict[tuple[str, str], dict[str, object]] = {
    (_MONITORING, "PodMonitor"): _object(
        _only(("selector",), selector=_LABELS, podMetricsEndpoints=_ENDPOINTS)
    ),
    (_MONITORING, "ServiceMonitor"): _object(
        _only(("selector", "endpoints"), selector=_LABELS, endpoints=_ENDPOINTS)
    ),
    (_MONITORING, "PrometheusRule"): _object(
        _only(groups={"type": "array", "minItems": 1, "items": _GROUP})
    ),
    (_KEDA, "ScaledObject"): _object(
        _only(
            ("scaleTargetRef", "triggers"),
            scaleTargetRef=_NAMED,
            minReplicaCount=COUNT,
            maxReplicaCount=COUNT,
            pollingInterval=COUNT,
            advanced={"type": "object"},
            triggers={
                "type": "array",
                "minItems": 1,
                "items": _only(
                    ("type", "metadata"),
                    type={"const": "kafka"},
                    metadata=TEXTS,
                    authenticationRef=_NAMED,
                ),
            },
        )
    ),
    (_KEDA, "TriggerAuthentication"): _object(
        _only(
            secretTargetRef={"type": "array", "items": _KEY},
            configMapTargetRef={"type": "array", "items": _KEY},
        )
    ),
}
