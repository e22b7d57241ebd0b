"""The image that the Dockerfile makes, and how it behaves as a container."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from streams.live import DRAIN
from tests.deploy.image import Image, built
from tests.deploy.locks import PINNED
from tests.deploy.worlds import PROJECT, allowed
from tests.kafka.broker import die_with_parent
from tests.kafka.proxy import free_port
from tests.kafka.waiting import eventually
from tests.streams.commands.traces import BAD, GOOD, rows
from tests.streams.test_served import answers
from tests.tools import missing

DOCKERFILE = PROJECT / "deploy" / "Dockerfile"
CONFIG = ("--config", "/tmp/data/streamgauge.yaml")  # noqa: S108 - the container's own
LISTING = """\
import importlib.metadata as metadata
print(*(f"{one.name}={one.version}" for one in metadata.distributions()))
"""
SETTINGS = """\
broker: folder:/tmp/data
sampling: {probability: 1}
serve: {host: 127.0.0.1, port: 0}
"""

pytestmark = [pytest.mark.service, pytest.mark.timeout(600)]  # the image comes from a registry


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    if (why := allowed()) is not None:
        missing(f"no container can be made here: {why}")
    with built(DOCKERFILE) as made:
        yield made


@pytest.fixture
def data(image: Image) -> Path:
    """Return a folder of topics that a container may write to."""
    folder = image.folder / os.urandom(4).hex()
    (folder / "rag.traces").mkdir(parents=True)
    (folder / "rag.traces" / "0.jsonl").write_text(rows(GOOD, BAD))
    (folder / "streamgauge.yaml").write_text(SETTINGS)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, *map(int, image.user))
    return folder


def ran(
    image: Image, *arguments: str, data: Path, entrypoint: list[str] | None = None, code: int = 0
) -> str:
    """Run a container to its end, which must be this exit code; return what it said."""
    mounts = {"data": data}
    command = image.command(*arguments, mounts=mounts, variables={}, entrypoint=entrypoint)
    done = subprocess.run(  # noqa: S603 - our own image
        command, check=False, capture_output=True, text=True, timeout=90, preexec_fn=die_with_parent
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_steps_make_an_image_of_the_locked_packages_and_no_other(
    image: Image, data: Path
) -> None:
    said = ran(image, "-c", LISTING, data=data, entrypoint=["python"])

    named = (one.partition("=") for one in said.split())
    held = {str(canonicalize_name(name)): number for name, _, number in named}
    assert held.pop("streamgauge") == version("streamgauge")
    assert held.items() <= PINNED["requirements"].items()
    assert PINNED["requirements"].keys() - held <= {"colorama"}  # Windows's


def test_an_image_says_its_version(image: Image, data: Path) -> None:
    assert version("streamgauge") in ran(image, "--version", data=data)


def test_a_container_checks_and_scores_with_a_root_that_it_cannot_write_to(
    image: Image, data: Path
) -> None:
    ran(image, "/etc/streamgauge/mine", data=data, entrypoint=["touch"], code=1)
    ran(image, "check", *CONFIG, data=data)
    ran(image, "score", "--once", *CONFIG, data=data)

    scored = "".join(file.read_text() for file in (data / "rag.scores").glob("*.jsonl"))
    assert all(f'"{row["trace_id"]}"' in scored for row in (GOOD, BAD))
    assert {path.stat().st_uid for path in data.rglob("*")} == {10001}


@contextmanager
def running(image: Image, half: str, data: Path, port: int) -> Iterator["subprocess.Popen[str]"]:
    """Run a half as a container's first process, until the block ends."""
    command = image.command(
        half,
        *CONFIG,
        mounts={"data": data},
        variables={"STREAMGAUGE_SERVE__PORT": str(port)},
    )
    with (data / "log").open("w") as log:
        process = subprocess.Popen(  # noqa: S603 - our own image
            command, stdout=log, stderr=log, text=True, preexec_fn=die_with_parent
        )
    try:
        yield process
    finally:
        process.kill()  # and what it holds with it
        process.wait()


def children(process: int) -> list[int]:
    return [
        int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()
    ]


def number_within(process: int) -> int:
    """Return a process's number in its own world."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.findall(r"^NSpid:.*\t(\d+)$", status, re.MULTILINE)[0])


@pytest.mark.parametrize("half", ["score", "watch"])
async def test_the_first_process_of_a_container_is_well_has_no_children_and_stops_when_told(
    image: Image, data: Path, half: str
) -> None:
    port = free_port()
    asking = {"STREAMGAUGE_SERVE__PORT": str(port)}
    with running(image, half, data, port) as container:
        await eventually(partial(answers, port, "/readyz", "ok\n"), within=90)
        (first,) = children(container.pid)
        assert number_within(first) == 1
        assert done(image.asking(first, asking)) == 0
        assert done(image.asking(first, {"STREAMGAUGE_SERVE__PORT": str(free_port())})) == 1
        assert children(first) == []

        os.kill(first, signal.SIGTERM)

        assert container.wait(timeout=DRAIN.total_seconds()) == 0, (data / "log").read_text()


def done(command: list[str]) -> int:
    return subprocess.run(command, check=False, capture_output=True, timeout=60).returncode  # noqa: S603


async def test_the_first_process_of_a_container_can_be_stopped_before_it_has_read_itself(
    image: Image, data: Path
) -> None:
    with running(image, "score", data, free_port()) as container:
        await eventually(lambda: listening(container.pid), within=90, every=0.001)
        (first,) = children(container.pid)

        os.kill(first, signal.SIGTERM)

        assert container.wait(timeout=20) == 143
    assert "running" not in (data / "log").read_text()


def listening(process: int) -> bool:
    """Say whether the first process in there listens for SIGTERM."""
    for first in children(process):
        status = Path(f"/proc/{first}/status").read_text()
        caught = int(re.findall(r"^SigCgt:\t(\w+)$", status, re.MULTILINE)[0], 16)
        return bool(caught >> (signal.SIGTERM - 1) & 1) and "streamgauge" in status
    return False
