"""A folder in which a reader would try the pages' commands, and what comes of running one."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from streams.command_line.options import Exit
from streams.folder.topic import read
from tests.command import STREAMGAUGE
from tests.docs.commands import lines_of, ours_in
from tests.docs.pages import ROOT, Block, blocks
from tests.kafka.broker import die_with_parent
from tests.tools import tool

BIN = Path(STREAMGAUGE).parent
DEMO, OURS, SETTINGS = "streamgauge-demo", "streamgauge-data", "streamgauge.yaml"
FOLLOWERS = {"score", "watch", "assemble"}
WORKS = '"event": "(running|watching)"|"outcome"'
"""What a command says once it works, and what the first verdict in a pipe holds."""
STOPPED = {Exit.DONE, Exit.CUT_OFF}
PATIENCE_SECONDS = 300

UNREADABLE = 'not json\n{"question": "Whose am I?"}\n'
"""What becomes dead letters."""

A_TIME = {"2026-05-01T00": "2026-03-02T12", "2026-06-01T00": "2026-03-02T13"}
"""The pages' span of time, and one that the demo plays."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The folder, what the pages' placeholders stand for in it, and variables of the shell.

    `on_kafka` are further variables, of lines that speak to a broker.
    """

    folder: Path
    stands_for: Mapping[str, str]
    variables: Mapping[str, str]
    on_kafka: Mapping[str, str] = field(default_factory=dict)

    def play(self, block: Block) -> None:
        """Run a block's lines in order."""
        for line in lines_of(block):
            self.run(line)

    def run(self, line: str) -> None:
        """Run a line: it has to end well, or to work until it is stopped."""
        if re.search(r"\bjq\b", line):
            tool("jq", "jq")
        end = self._until_stopped if endless(line) else self._to_its_end
        more = self.on_kafka if "kafka://" in line else {}
        end(self._here(line), {**self.variables, **more})

    def run_python(self, block: Block, *, until: str | None = None) -> None:
        """Run a snippet to its end, or until it has printed something that `until` matches."""
        (self.folder / "snippet.py").write_text(self._here(block.text), encoding="utf-8")
        line = "python snippet.py"
        if until is None:
            self._to_its_end(line, self.variables)
        else:
            self._until_stopped(line, self.variables, until=until)

    def _here(self, line: str) -> str:
        for name, value in self.stands_for.items():
            line = line.replace(name, value)
        return line

    def _to_its_end(self, line: str, variables: Mapping[str, str]) -> None:
        done = subprocess.run(  # noqa: S603 - the pages' own commands, in a reader's shell
            ["bash", "-o", "pipefail", "-c", line],  # noqa: S607 - the reader's
            cwd=self.folder,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"

    def _until_stopped(
        self, line: str, variables: Mapping[str, str], *, until: str = WORKS
    ) -> None:
        """Start it, wait until it works, and stop it as an operator would: that is well, too."""
        piped = "|" in line
        with (self.folder / "said").open("wb+") as said:
            process = subprocess.Popen(  # noqa: S603 - the pages' own commands
                ["bash", "-c", line if piped else f"exec {line}"],  # noqa: S607 - the reader's
                cwd=self.folder,
                env=variables,
                stdout=said,
                stderr=said,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
            try:
                self._await(process, until)
                process.send_signal(signal.SIGTERM)
                code = process.wait(PATIENCE_SECONDS)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        ours = until == WORKS and not piped
        assert not ours or code in STOPPED, (line, (self.folder / "said").read_text())

    def _await(self, process: "subprocess.Popen[bytes]", sign: str) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not re.search(sign, said := (self.folder / "said").read_text()):
            assert process.poll() is None, said
            assert time.monotonic() < deadline, said
            time.sleep(0.05)


def a_scene(folder: Path) -> Scene:
    """Return a folder with what the pages name, but for what a demo leaves."""
    (folder / ".venv").symlink_to(BIN.parent)
    [row] = [one.text for one in blocks("json") if one.page == "README.md"]
    spans = json.loads((ROOT / "tests/traces/genai_semconv_rag.json").read_text())
    rules = next(one.text for one in blocks("yaml") if one.page == "docs/alerts.md")
    for name, text in {
        "answers.jsonl": row,
        "data/rag.traces/0.jsonl": row,
        "data/otlp_spans/0.jsonl": json.dumps(spans) + "\n",
        "RULES.yaml": rules,
        "rules.yaml": rules,
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    shell = {
        "PATH": f"{BIN}{os.pathsep}{os.defpath}",
        "HOME": str(folder),
        "STREAMGAUGE_SERVE__PORT": "0",
        "STREAMGAUGE_ASSEMBLE__ENCODING": "otlp_json",
    }
    return Scene(folder, {}, shell)


def played(folder: Path) -> Scene:
    """Play the demo in a scene. Its topics are there twice: commands without options find a copy.

    That one has dead letters too, of two kinds.
    """
    scene = a_scene(folder)
    scene.run(f"streamgauge demo --seconds 1 --folder {DEMO}")
    shutil.copytree(folder / DEMO, folder / OURS)
    settings = (folder / OURS / SETTINGS).read_text(encoding="utf-8")
    (folder / SETTINGS).write_text(settings.replace(DEMO, OURS), encoding="utf-8")
    spoilt = folder / "spoilt" / "rag.traces"
    spoilt.mkdir(parents=True)
    (spoilt / "0.jsonl").write_text(UNREADABLE, encoding="utf-8")
    scene.run("streamgauge score --once --broker folder:spoilt")
    shutil.move(spoilt.with_name("rag.dead"), folder / OURS)
    keys = [(record.key or b"").decode() for record in read(folder / DEMO, "rag.traces")]
    return replace(scene, stands_for={"TRACE_ID": keys[0], **A_TIME})


def copied(scene: Scene, folder: Path) -> Scene:
    """Return the scene in a folder of its own."""
    shutil.copytree(scene.folder, folder, symlinks=True)
    return replace(scene, folder=folder)


def endless(line: str) -> bool:
    """Say whether a line runs until it is stopped."""
    if line.startswith("tail -f "):
        return True
    alone = [set(words) for words in ours_in(line) if words and words[0] in FOLLOWERS]
    return any("--once" not in words and not of_a_file(words) for words in alone)


def of_a_file(words: set[str]) -> bool:
    """Say whether answers are judged that lie in a file."""
    return any(word.endswith(".jsonl") for word in words)


def to_run(*, on_kafka: bool) -> list[Block]:
    """Return the blocks of commands that are run here, or those that want a broker."""
    mine = [block for block in blocks("sh") if not block.mark]
    return [block for block in mine if ("kafka://" in block.text) == on_kafka]


def snippets(*, on_kafka: bool) -> list[Block]:
    """Return the snippets of Python that are run here, or those that want a broker."""
    mine = [block for block in blocks("python") if not block.mark]
    return [block for block in mine if ("aiokafka" in block.text) == on_kafka]
