"""The import contracts hold, and each of them is seen to break when it is broken."""

import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("schemas", "scorers", "streams")


def lint(folder: Path) -> tuple[int, str]:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    done = subprocess.run(  # noqa: S603 - our own linter
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("*.pyc"))
    return folder


@pytest.mark.parametrize(
    ("module", "imported", "contract"),
    [
        ("schemas/trace.py", "scorers.contract", "streams may use scorers"),
        ("scorers/contract.py", "streams.ports", "streams may use scorers"),
        ("streams/scoring/sampling.py", "os", "the core does no I/O"),
        ("streams/watch/fold.py", "time", "the core does no I/O"),
        ("streams/pipeline.py", "streams.folder.sink", "the core does no I/O"),
        ("scorers/faithfulness.py", "scorers.citation_accuracy", "no scorer uses another"),
        ("streams/watch/rules/kinds.py", "scorers.contract", "the watch half uses no scorer"),
        ("streams/pipeline.py", "streams.settings.load", "settings are read by wiring"),
    ],
)
def test_a_contract_that_is_broken_is_reported(
    copy: Path, module: str, imported: str, contract: str
) -> None:
    file = copy / module
    sound = file.read_text()
    file.write_text(f"{sound}\nimport {imported}\n")

    code, said = lint(copy)

    file.write_text(sound)
    assert code == 1
    broken = [line for line in said.splitlines() if " BROKEN" in line]
    assert any(line.startswith(contract) for line in broken)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_other_distribution_owns_our_package_names(package: str) -> None:
    assert set(packages_distributions()[package]) == {"streamgauge"}
