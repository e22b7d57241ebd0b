"""Programs of other people that some tests run: `.ci/run` installs them from Debian's packages."""

import os
import shutil

import pytest

REQUIRED = "STREAMGAUGE_REQUIRE_TOOLS"


def tool(name: str, package: str) -> str:
    """Return the path of a program; skip the test with one line where it is missing.

    Where `STREAMGAUGE_REQUIRE_TOOLS` is set, a missing one fails the test.
    """
    if found := shutil.which(name):
        return found
    said = f"{name} is not here: apt-get install {package}"
    if os.environ.get(REQUIRED):  # noqa: TID251 - a test's own switch, no setting
        pytest.fail(said)
    pytest.skip(f"SKIPPED: {said}")
