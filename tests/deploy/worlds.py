"""Worlds for commands: a layer over this machine's files, namespaces, and this Python.

What is written goes to the layer. A command sees nothing of our environment and none of our
checkout, and has a process table of its own and an empty /tmp. It needs root, and Linux.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

PROJECT = Path(__file__).parents[2]
BASE = {
    "PATH": "/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LANG": "C.UTF-8",
    "LD_LIBRARY_PATH": "/usr/local/lib",
}
"""What Python's images set, but for the last: theirs know where their library is."""

_ENTER = """\
root="$1"; python="$2"; project="$3"; cwd="$4"; upper="$5"; work="$6"; mode="$7"; shift 7
mount -t overlay overlay -o "lowerdir=/,upperdir=$upper,workdir=$work" "$root"
mount -o "remount,bind,$mode" "$root"
[ ! -d "$root$project" ] || mount -t tmpfs -o mode=755 tmpfs "$root$project"
mount --bind "$python" "$root/usr/local"
mount -o "remount,bind,$mode" "$root/usr/local"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777,size=64m tmpfs "$root/tmp"
while [ "$1" != -- ]; do mkdir "$root/tmp/$1"; mount --bind "$2" "$root/tmp/$1"; shift 2; done
shift
exec chroot "$root" env --ignore-environment --chdir="$cwd" "$@"
"""


@dataclass(frozen=True, slots=True)
class Layer:
    """What a stage has written, and what holds when it is through."""

    files: Path
    variables: Mapping[str, str]
    cwd: str


def entered(
    command: Sequence[str], layer: Layer, *, mode: Literal["ro", "rw"], mounts: Mapping[str, Path]
) -> list[str]:
    """Return what runs a command with the layer over this machine's files, and in its world."""
    folder = layer.files.parent
    for name in ("root", "work"):
        (folder / name).mkdir(exist_ok=True)
    mounted = [word for name, mount in mounts.items() for word in (name, str(mount))]
    assignments = [f"{name}={value}" for name, value in layer.variables.items()]
    python, layers = [sys.base_prefix, str(PROJECT)], [str(layer.files), str(folder / "work")]
    places = [str(folder / "root"), *python, layer.cwd, *layers, mode]
    namespaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
    enter = [*namespaces, "sh", "-euc", _ENTER, "sh"]
    return [*enter, *places, *mounted, "--", *assignments, *command]


def allowed() -> str | None:
    """Return why containers cannot be made here, None where they can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "it takes root on Linux"
    with tempfile.TemporaryDirectory() as folder:
        upper, work, root = (Path(folder, name) for name in ("upper", "work", "root"))
        for made in (upper, work, root):
            made.mkdir()
        layers = f"lowerdir=/,upperdir={upper},workdir={work}"
        tried = ["unshare", "--mount", "--pid", "--fork", "mount", "-t", "overlay", "overlay"]
        done = subprocess.run(  # noqa: S603 - the system's tools
            [*tried, "-o", layers, str(root)], check=False, capture_output=True, text=True
        )
    return (
        None if done.returncode == 0 else f"namespaces or overlays are not allowed: {done.stderr}"
    )
