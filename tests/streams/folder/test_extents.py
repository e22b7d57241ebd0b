"""The folder log under the suite of surveys."""

from pathlib import Path

import pytest

from streams.folder.extents import FolderExtents
from tests.streams.ports.extents import ExtentsSuite
from tests.streams.ports.log import Log
from tests.streams.test_folder import FolderLog


class TestTheFolderLog(ExtentsSuite):
    @pytest.fixture
    def log(self, tmp_path: Path) -> Log:
        return FolderLog(tmp_path)

    @pytest.fixture
    def survey(self, tmp_path: Path) -> FolderExtents:
        return FolderExtents(tmp_path)
