import json
import os
from pathlib import Path

import pytest

from streams.folder.groups import Commit, join
from streams.folder.lock import LockedError, acquire


def test_commits_are_kept_by_topic_and_partition(tmp_path: Path) -> None:
    group = join(tmp_path, "g")
    group.commit("a", {0: Commit(offset=1, metadata="m"), 1: Commit(offset=2)})
    group.commit("b", {0: Commit(offset=3)})
    group.commit("a", {1: Commit(offset=4)})
    group.leave()

    again = join(tmp_path, "g")

    assert again.commits("a") == {0: Commit(offset=1, metadata="m"), 1: Commit(offset=4)}
    assert again.commits("b") == {0: Commit(offset=3)}
    assert again.commits("c") == {}
    again.leave()


def test_the_file_can_be_read_by_people(tmp_path: Path) -> None:
    group = join(tmp_path, "g")
    group.commit("rag.traces", {0: Commit(offset=1, metadata="sg1.")})
    group.leave()

    assert json.loads((tmp_path / ".groups/g.json").read_text()) == {
        "epoch": 1,
        "topics": {"rag.traces": {"0": {"offset": 1, "metadata": "sg1."}}},
    }


def test_a_group_that_is_in_use_is_refused_and_says_by_whom(tmp_path: Path) -> None:
    group = join(tmp_path, "g")

    with pytest.raises(LockedError, match=rf"group g is in use by process {os.getpid()} "):
        join(tmp_path, "g")

    group.leave()
    join(tmp_path, "g").leave()


def test_the_lock_of_a_process_that_is_gone_is_taken_over(tmp_path: Path) -> None:
    (tmp_path / "x.lock").write_text("999999\n")

    lock = acquire(tmp_path / "x.lock", what="x")

    assert (tmp_path / "x.lock").read_text() == f"{os.getpid()}\n"
    lock.release()


@pytest.mark.parametrize("content", ["", "{", '{"epoch":-1}', '{"topics":{"t":{"0":{}}}}'])
def test_a_file_that_cannot_be_read_stops_the_group(tmp_path: Path, content: str) -> None:
    (tmp_path / ".groups").mkdir()
    (tmp_path / ".groups/g.json").write_text(content)

    with pytest.raises(ValueError, match="restore it, or move it away"):
        join(tmp_path, "g")

    (tmp_path / ".groups/g.json").unlink()
    join(tmp_path, "g").leave()


@pytest.mark.parametrize("name", ["", "../g", "a/b", ".hidden", "x" * 250, "ü"])
def test_a_name_that_is_no_plain_file_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="a name has"):
        join(tmp_path, name)
