"""An image and its containers without an engine for them: each step of a Dockerfile, carried out.

A container has a root that it cannot write to, no privileges, and an empty /tmp.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from tests.deploy.dockerfile import Ignored, Stage, Step, assigned, filled, stages
from tests.deploy.worlds import BASE, PROJECT, Layer, entered
from tests.kafka.broker import die_with_parent

PATIENCE_SECONDS = 300
ROOM_BYTES = 2 << 30
LeftOut = Callable[[str, list[str]], set[str]]


@dataclass(frozen=True, slots=True)
class Image:
    """What a Dockerfile makes."""

    folder: Path
    layer: Layer
    stage: Stage

    @property
    def user(self) -> tuple[str, str]:
        """Its uid and gid."""
        uid, _, gid = self.stage.last("USER").rest.partition(":")
        return uid, gid

    @property
    def health(self) -> list[str]:
        """The command that asks how it is."""
        _, _, command = self.stage.last("HEALTHCHECK").rest.partition("CMD ")
        return Step("CMD", command, {}).words

    def command(
        self,
        *arguments: str,
        mounts: Mapping[str, Path],
        variables: Mapping[str, str],
        entrypoint: Sequence[str] | None = None,
    ) -> list[str]:
        """Return what runs a container, one at a time; folders are mounted in /tmp by name."""
        entry = self.stage.last("ENTRYPOINT").words if entrypoint is None else entrypoint
        variables = {**self.layer.variables, **variables}
        layer = Layer(self.layer.files, variables, self.layer.cwd)
        return entered([*self._caged, *entry, *arguments], layer, mode="ro", mounts=mounts)

    def asking(self, first: int, variables: Mapping[str, str]) -> list[str]:
        """Return what runs the health check in the container whose first process has that id."""
        assigned = [
            f"{name}={value}" for name, value in {**self.layer.variables, **variables}.items()
        ]
        within = ["nsenter", f"--target={first}", "--mount", "--pid", "--root", "--wd"]
        return [*within, "env", "--ignore-environment", *assigned, *self._caged, *self.health]

    @property
    def _caged(self) -> list[str]:
        uid, gid = self.user
        who = [f"--reuid={uid}", f"--regid={gid}", "--clear-groups"]
        return [
            "setpriv",
            *who,
            "--bounding-set=-all",
            "--inh-caps=-all",
            "--no-new-privs",
            "--pdeathsig=KILL",
        ]


@contextmanager
def built(dockerfile: Path) -> Iterator[Image]:
    """Carry out a Dockerfile in an empty folder, and yield the image until it is needed no more."""
    folder = Path(tempfile.mkdtemp(prefix="image-", dir=_roomy()))
    folder.chmod(0o755)
    try:
        builder = _Builder(folder, Ignored.read(PROJECT / ".dockerignore"))
        for stage in (found := stages(dockerfile.read_text())):
            builder.build(stage)
        yield Image(folder, builder.layers[found[-1].name], found[-1])
    finally:
        shutil.rmtree(folder)


def _roomy() -> Path | None:
    """Return the folder in memory, if there is one with room: 10,000 files are slow on a disk."""
    memory = Path("/dev/shm")  # noqa: S108 - mkdtemp's names in there are nobody else's
    return memory if memory.is_dir() and shutil.disk_usage(memory).free > ROOM_BYTES else None


@dataclass(slots=True)
class _Builder:
    """Carries out stages, one after the other."""

    folder: Path
    ignored: Ignored
    layers: dict[str, Layer] = field(default_factory=dict)

    def build(self, stage: Stage) -> None:
        files = self.folder / f"stage{len(self.layers)}"
        files.mkdir(mode=0o755)
        layer = Layer(files, BASE, "/")
        for step in stage.steps:
            layer = self._take(step, layer)
        self.layers[stage.name] = layer

    def _take(self, step: Step, layer: Layer) -> Layer:
        match step.word:
            case "RUN":
                self._run(step.rest, layer)
            case "COPY":
                self._copy(step, layer)
            case "WORKDIR":
                _at(layer.files, step.rest).mkdir(parents=True, exist_ok=True)
                return Layer(layer.files, layer.variables, step.rest)
            case "ENV":
                new = dict(assigned(filled(step.rest, layer.variables)))
                return Layer(layer.files, {**layer.variables, **new}, layer.cwd)
            case "LABEL" | "USER" | "EXPOSE" | "HEALTHCHECK" | "ENTRYPOINT" | "CMD":
                pass  # of containers, not of the image's files
            case unknown:
                raise ValueError(f"{unknown}: say here what it does")
        return layer

    def _run(self, command: str, layer: Layer) -> None:
        done = subprocess.run(  # noqa: S603 - the Dockerfile's
            entered(["sh", "-c", command], layer, mode="rw", mounts={}),
            check=False,
            timeout=PATIENCE_SECONDS,
            capture_output=True,
            text=True,
            preexec_fn=die_with_parent,
        )
        assert done.returncode == 0, f"RUN {command}\n{done.stdout}{done.stderr}"

    def _copy(self, step: Step, layer: Layer) -> None:
        *sources, to = step.words
        target = _at(layer.files, str(PurePosixPath(layer.cwd) / to))
        for source in sources:
            if (stage := step.flags.get("from")) is not None:
                _put(_at(self.layers[stage].files, source), target)
            elif (PROJECT / source).is_dir():
                _put(PROJECT / source, target, self._left_out)
            else:
                assert PurePosixPath(source) not in self.ignored, f"{source} is in .dockerignore"
                target.mkdir(parents=True, exist_ok=True)
                shutil.copy(PROJECT / source, target)

    def _left_out(self, folder: str, names: list[str]) -> set[str]:
        here = Path(folder).relative_to(PROJECT)
        return {name for name in names if PurePosixPath(here / name) in self.ignored}


def _at(files: Path, path: str) -> Path:
    return files / path.removeprefix("/")


def _put(source: Path, target: Path, leaving: LeftOut | None = None) -> None:
    shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True, ignore=leaving)
