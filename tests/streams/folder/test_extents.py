"""The folder log under the suite of surveys."""

from pathlib import Path

import pytest

from streams.folder.extents import FileExtents, FolderExtents
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


async def test_a_file_is_told_from_another_of_its_name_and_known_again_when_it_grew(
    tmp_path: Path,
) -> None:
    file = tmp_path / "rows.jsonl"
    ids, ends = [], []
    for text in (
        '{"trace_id": "a"}',
        '{"trace_id": "a"}\n{"trace_id": "b"}\n',
        '{"trace_id": "c"}\n',
    ):
        file.write_text(text)
        found = await FileExtents(file).extents("rows.jsonl", from_=None, to=None)
        ids.append(found.topic_id)
        ends.append(found.partitions[0].end)

    assert ends == [1, 2, 1]
    assert ids[0] == ids[1] != ids[2]


async def test_an_id_is_made_only_where_something_may_be_written(tmp_path: Path) -> None:
    topic = tmp_path / "rag.traces"
    topic.mkdir()
    (topic / "0.jsonl").write_text("{}\n")
    looking, planning = FolderExtents(tmp_path, writes=False), FolderExtents(tmp_path)

    before = await looking.extents("rag.traces", from_=None, to=None)
    left = [path.name for path in topic.iterdir()]
    made = await planning.extents("rag.traces", from_=None, to=None)
    after = await looking.extents("rag.traces", from_=None, to=None)

    assert (before.topic_id, left) == ("", ["0.jsonl"])
    assert before.partitions == made.partitions
    assert after.topic_id == made.topic_id != ""
