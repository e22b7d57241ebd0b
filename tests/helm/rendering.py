"""The chart rendered as Helm does it, and its objects by kind: no cluster and no helm binary."""

import os
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

import pytest
import yaml

from tests.tools import REQUIRED

HELM = Path(__file__).parents[2] / "helm"
SETUPS = sorted((HELM / "ci").glob("*-values.yaml"))
FILE = "/etc/streamgauge/streamgauge.yaml"

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where it is there

Object: TypeAlias = dict[str, Any]


class Pod(NamedTuple):
    """What runs: the part by its name, its labels, annotations and its spec."""

    part: str
    labels: dict[str, str]
    annotations: dict[str, str]
    spec: Object

    @property
    def containers(self) -> list[Object]:
        """All that would run in it."""
        return [*self.spec.get("initContainers", []), *self.spec["containers"]]

    @property
    def arguments(self) -> list[str]:
        """The command line of what it is there for."""
        arguments: list[str] = self.spec["containers"][0]["args"]
        return arguments

    @property
    def secrets(self) -> dict[str, tuple[str, str]]:
        """Its variables that come from a Secret: the Secret's name and key."""
        env = self.spec["containers"][0].get("env", [])
        refs = {one["name"]: one["valueFrom"]["secretKeyRef"] for one in env if "valueFrom" in one}
        return {name: (ref["name"], ref["key"]) for name, ref in refs.items()}


@cache
def helm() -> ModuleType:
    """Return Helm's engine. Skips without it, or fails where tools are required."""
    try:
        return import_module("helm_python")
    except ImportError as error:  # it is not made for every platform
        said = f"Helm is not here: pip install helm-python-sdk ({error})"
        if os.environ.get(REQUIRED):  # noqa: TID251 - a test's own switch, no setting
            pytest.fail(said)
        pytest.skip(f"SKIPPED: {said}")


@cache
def chart() -> Any:
    """Return the chart as Helm reads it."""
    return helm().Chart.load(HELM)


def values(text: str) -> Object:
    """Return a file of values as Helm reads it."""
    read: Object = helm().values_from_yaml(text)
    return read


@cache
def objects_of(path: Path) -> tuple[Object, ...]:
    """Return the objects that one of the chart's own files of values makes: not to be changed."""
    return tuple(rendered(setup(path)))


def setup(path: Path) -> Object:
    """Return one of the chart's own files of values."""
    return values(path.read_text(encoding="utf-8"))


def manifests(given: Object) -> str:
    """Render the chart for values that its schema has to like: every file but the notes."""
    chart().validate_schema(given)
    files = chart().render(given, name="live", namespace="quality")
    return "\n---\n".join(text for name, text in files.items() if not name.endswith("NOTES.txt"))


def rendered(given: Object) -> list[Object]:
    """Return the objects that these values make."""
    return [one for one in yaml.load_all(manifests(given), _Loader) if one]


def of(text: str) -> list[Object]:
    """Return the objects that values written as YAML make, beside the smallest set-up."""
    return rendered(_beside_the_smallest(text))


def refusal(text: str) -> str:
    """Return what is said of values, beside the smallest set-up, that must be refused."""
    with pytest.raises(helm().HelmError) as refused:
        rendered(_beside_the_smallest(text))
    return str(refused.value)


def _beside_the_smallest(text: str) -> Object:
    return {**setup(HELM / "ci" / "smallest-values.yaml"), **values(text)}


def kind(name: str, objects: Sequence[Object]) -> list[Object]:
    """Return the objects of a kind."""
    return [one for one in objects if one["kind"] == name]


def pods(objects: Sequence[Object]) -> Iterator[Pod]:
    """Yield every pod that the objects would run."""
    for one in objects:
        template = (
            one if one["kind"] == "Pod" else one["spec"].get("template") if "spec" in one else None
        )
        if template is not None:
            about = template["metadata"]
            part = about["labels"]["app.kubernetes.io/component"]
            yield Pod(part, about["labels"], about.get("annotations", {}), template["spec"])


def settings_file(objects: Sequence[Object]) -> str:
    """Return the settings file that the pods read."""
    (found,) = [one for one in kind("ConfigMap", objects) if "streamgauge.yaml" in one["data"]]
    text: str = found["data"]["streamgauge.yaml"]
    return text
