"""The chart's own set-ups, and none of this machine's variables."""

from pathlib import Path

import pytest

from tests.helm.rendering import SETUPS, Object, helm, objects_of


@pytest.fixture(autouse=True)
def _helm_is_here() -> None:
    helm()


@pytest.fixture(params=SETUPS, ids=lambda path: path.name.removesuffix("-values.yaml"))
def of_setup(request: pytest.FixtureRequest) -> Path:
    """Return each of the chart's files of values."""
    path: Path = request.param
    return path


@pytest.fixture
def objects(of_setup: Path) -> list[Object]:
    """Return what each of the chart's files of values makes: not to be changed."""
    return list(objects_of(of_setup))
