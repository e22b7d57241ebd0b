"""What is said of runs that are not whole."""

import pytest

from schemas.run import Run, Stretch
from streams.replay.notes import notes
from streams.replay.sides import Side
from tests.streams.replay.two_sides import a_run

GONE = a_run("r1").model_copy(update={"partitions": {0: Stretch(start=0, end=9, gone=None)}})


@pytest.mark.parametrize(
    ("manifests", "said"),
    [
        ([], "r1 has no manifest"),
        ([a_run("r1", state="running")], "not complete (running, 1,000 rows so far)"),
        ([a_run("r1", shard="1/2")], "not complete (1 of 2 shards, 1,000 rows so far)"),
        (
            [a_run("r1", shard="1/2"), a_run("r1", shard="2/2", state="stopped")],
            "not complete (stopped, 2,000 rows so far)",
        ),
        ([GONE], "r1 has gaps"),
    ],
)
def test_a_run_that_is_not_whole_is_told(manifests: list[Run], said: str) -> None:
    [note] = notes((Side(None), Side("r1")), [], {"r1": manifests})

    assert said in note


def test_a_whole_run_needs_no_word() -> None:
    runs = {"r1": [a_run("r1", shard="1/2"), a_run("r1", shard="2/2")]}

    assert list(notes((Side(None), Side("r1")), [], runs)) == []
