"""The Dockerfile and its locks, as they are written."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.deploy.dockerfile import stages
from tests.deploy.locks import LOCKS, PINNED
from tests.deploy.worlds import PROJECT

DOCKERFILE = PROJECT / "deploy" / "Dockerfile"
ASKED = tomllib.loads((PROJECT / "pyproject.toml").read_text())
EXTRAS = ("msk", "otlp")


def test_a_linter_finds_nothing() -> None:
    linter = Path(sys.executable).with_name("hadolint")

    linted = subprocess.run([linter, DOCKERFILE], check=False, capture_output=True, text=True)  # noqa: S603

    assert (linted.returncode, linted.stdout) == (0, "")


def test_an_image_has_no_root_no_shell_before_its_command_and_no_secret() -> None:
    *_, last = stages(DOCKERFILE.read_text())

    assert last.last("USER").rest == "10001:10001"
    assert last.last("ENTRYPOINT").rest == '["streamgauge"]'
    assert {step.word for step in last.steps} <= {
        "LABEL", "COPY", "ENV", "WORKDIR", "USER", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"
    }  # fmt: skip
    assert "KEY" not in DOCKERFILE.read_text()


def test_both_stages_have_one_python_of_a_named_version() -> None:
    bases = {stage.base for stage in stages(DOCKERFILE.read_text())}

    assert len(bases) == 1
    assert re.fullmatch(r"python:3\.\d+-slim-\w+", bases.pop())


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_pins_everything_by_version_and_hash_and_names_no_host(lock: str) -> None:
    wanted = re.split(r"(?m)^(?=\w)", re.sub(r"(?m)^#.*\n", "", LOCKS[lock]))[1:]

    assert all(re.match(r"[\w.-]+==[\w.]+ (; .+ )?\\\n    --hash=sha256:", one) for one in wanted)
    assert "//" not in LOCKS[lock]
    assert "index" not in LOCKS[lock]


def test_the_locks_keep_what_the_project_asks_for_and_hold_no_tool() -> None:
    extras = ASKED["project"]["optional-dependencies"]
    runs = [*ASKED["project"]["dependencies"], *(one for name in EXTRAS for one in extras[name])]

    assert unsatisfied(runs, PINNED["requirements"]) == []
    assert unsatisfied(ASKED["build-system"]["requires"], PINNED["build"]) == []
    assert not {"pytest", "mypy", "ruff", "setuptools"} & PINNED["requirements"].keys()


def unsatisfied(wanted: list[str], pinned: Mapping[str, str]) -> list[str]:
    """Return the requirements that a lock does not keep: `make lock` mends it."""
    asked = map(Requirement, wanted)
    return [
        str(one)
        for one in asked
        if not one.specifier.contains(
            pinned.get(canonicalize_name(one.name), "0"), prereleases=True
        )
    ]
