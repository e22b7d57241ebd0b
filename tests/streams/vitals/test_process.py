"""The process's own measure: its loop, its memory, and what the cgroup gives it."""

import asyncio
import time
from pathlib import Path

import pytest

from streams.pace import until
from streams.telemetry.metrics import Metric
from streams.vitals.memory import Memory, MemoryFullError, limits_of
from streams.vitals.process import Process


def a_memory(folder: Path, *, pages: int, limit: str) -> Memory:
    status, maximum = folder / "statm", folder / "memory.max"
    status.write_text(f"9999 {pages} 1 1 0 1 0\n")
    maximum.write_text(f"{limit}\n")
    return Memory(status, (folder / "absent", maximum))


def test_memory_is_what_linux_says(tmp_path: Path) -> None:
    memory = a_memory(tmp_path, pages=100, limit="819200")

    assert memory.used() == 409_600
    assert memory.limit() == 819_200
    assert memory.share() == 0.5


@pytest.mark.parametrize("limit", ["max", "9223372036854771712", ""])
def test_without_a_limit_no_share_is_used(tmp_path: Path, limit: str) -> None:
    memory = a_memory(tmp_path, pages=100, limit=limit)

    assert (memory.limit(), memory.share()) == (None, None)


NESTED = {
    "version 2": ("0::/pods/ours", "{}/memory.max"),
    "version 1": ("4:memory:/pods/ours\n1:cpu:/else", "memory/{}/memory.limit_in_bytes"),
    "both": ("5:cpu,memory:/pods/ours\n0::/", "memory/{}/memory.limit_in_bytes"),
}


@pytest.mark.parametrize(("groups", "file"), NESTED.values(), ids=NESTED)
def test_the_least_limit_of_all_cgroups_around_us_counts(
    groups: str, file: str, tmp_path: Path
) -> None:
    for group, limit in {"": "max", "pods": "4096000", "pods/ours": "8192000"}.items():
        at = tmp_path / file.format(group)
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(limit)

    assert Memory(limits=limits_of(groups, tmp_path)).limit() == 4_096_000


def test_in_a_container_the_names_of_the_host_lead_to_the_files_at_the_top(tmp_path: Path) -> None:
    (tmp_path / "memory.max").write_text("4096000")

    assert Memory(limits=limits_of("0::/kubepods/pod7", tmp_path)).limit() == 4_096_000


def test_this_process_knows_how_much_it_has() -> None:
    assert (Memory().used() or 0) > 10 << 20


def test_elsewhere_than_on_linux_nothing_is_known_and_nothing_breaks(tmp_path: Path) -> None:
    process = Process(Memory(tmp_path / "statm", ()))

    process.check_memory()

    assert not process.tight
    assert {sample.metric for sample in process.samples()} == {Metric.LOOP_LAG, Metric.UNNAMED}


@pytest.mark.parametrize(("pages", "tight"), [(79, False), (80, True), (94, True)])
def test_from_four_fifths_on_memory_is_tight(tmp_path: Path, pages: int, tight: bool) -> None:
    process = Process(a_memory(tmp_path, pages=pages, limit="409600"))

    process.check_memory()

    assert process.tight is tight


async def test_it_ends_before_it_is_killed(tmp_path: Path) -> None:
    process = Process(a_memory(tmp_path, pages=95, limit="409600"))

    with pytest.raises(MemoryFullError, match="95%"):
        await process.keep()


async def test_a_loop_that_stood_is_seen_once_it_runs_again() -> None:
    process = Process()
    keeping = asyncio.create_task(process.keep())
    await asyncio.sleep(0)

    time.sleep(0.5)  # noqa: ASYNC251 - this is what is measured
    await until(lambda: process.worst > 0)
    keeping.cancel()

    assert next(process.samples()).value > 0.2
    assert not list(process.dead())


def test_a_loop_that_stood_for_long_is_dead() -> None:
    process = Process(lag=9.0)

    assert list(process.dead()) == ["the event loop stood for 9 s"]
