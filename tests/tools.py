"""Programs of other people that some tests run: `.ci/run` installs them from Debian's packages."""

import os
import shutil
from typing import NoReturn

import pytest

REQUIRED = "STREAMGAUGE_REQUIRE_TOOLS"


def tool(name: str, package: str) -> str:
    """Return the path of a program; skip the test with one line where it is missing.

    Where `STREAMGAUGE_REQUIRE_TOOLS` is set, a missing one fails the test.
    """
    found = shutil.which(name)
    return found or missing(f"{name} is not here: apt-get install {package}")


def missing(said: str) -> NoReturn:
    """Skip the test for what this machine lacks; fail it where nothing may be lacking."""
    if os.environ.get(REQUIRED):  # noqa: TID251 - a test's own switch, no setting
        pytest.fail(said)
    pytest.skip(f"SKIPPED: {said}")
