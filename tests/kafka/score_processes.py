"""`streamgauge score` as its users run it: processes in slots, one life after another.

The address of the judge has the life's number in its path: so the judge knows who calls.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from streams.address import Topics
from tests.kafka.broker import die_with_parent

COMMAND = str(Path(sys.executable).with_name("streamgauge"))
PATIENCE_SECONDS = 90
GROUP = "chaos"
TIMEOUT_SECONDS = 20
"""Of a judge's call: far above what one takes on a crowded machine, or it would be paid again."""
_SETTINGS = """\
topics: {topics}
kafka: {{group: {group}}}
sampling: {{probability: {probability}}}
scorers: {{faithfulness: {{}}, citation_accuracy: null}}
judge:
  kind: chat
  allow_private_addresses: true
  chat: {{model: judge-1, timeout: {timeout}s, in_flight: {in_flight}}}
alerts: []
"""


@dataclass
class ScoreProcesses:
    """Processes by slot. `pids` is who each life is; every slot's log is a file in `folder`."""

    folder: Path
    servers: str
    judge: str
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    pids: list[int] = field(default_factory=list)
    most_rss_mb: float = 0

    def start(self, slot: str) -> None:
        life = len(self.pids)
        environment = {
            **os.environ,  # noqa: TID251 - a child needs it
            "STREAMGAUGE_KAFKA__SLOT": slot,
            "STREAMGAUGE_JUDGE__CHAT__URL": f"{self.judge}/{life}/v1",
        }
        with (self.folder / f"{slot}.log").open("ab") as log:
            process = subprocess.Popen(  # noqa: S603 - our own command
                [COMMAND, "score", "--broker", f"kafka://{self.servers}"],
                cwd=self.folder,
                env=environment,
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent,
            )
        self.running[slot] = process
        self.pids.append(process.pid)

    def send(self, number: signal.Signals, slot: str) -> None:
        self.running[slot].send_signal(number)

    def kill(self, slot: str) -> None:
        self.send(signal.SIGKILL, slot)
        self.running.pop(slot).wait(PATIENCE_SECONDS)

    def stop(self, slot: str) -> int:
        """Ask a process to stop, and return its exit code."""
        self.send(signal.SIGTERM, slot)
        return self.running.pop(slot).wait(PATIENCE_SECONDS)

    def weigh(self) -> None:
        """Note how much memory each process holds now."""
        for process in self.running.values():
            self.most_rss_mb = max(self.most_rss_mb, rss_mb(process.pid))

    def ended(self) -> dict[str, int]:
        """Return the exit codes of those that ended although nobody asked them to."""
        codes = {slot: process.poll() for slot, process in self.running.items()}
        return {slot: code for slot, code in codes.items() if code is not None}


@contextmanager
def score_processes(
    folder: Path, servers: str, judge: str, *, topics: Topics, probability: float, in_flight: int
) -> Iterator[ScoreProcesses]:
    """Yield processes that follow these settings, and end those that still run at the end."""
    settings = _SETTINGS.format(
        topics=asdict(topics),
        group=GROUP,
        probability=probability,
        in_flight=in_flight,
        timeout=TIMEOUT_SECONDS,
    )
    (folder / "streamgauge.yaml").write_text(settings)
    some = ScoreProcesses(folder, servers, judge)
    try:
        yield some
    finally:
        for process in some.running.values():
            process.kill()
            process.wait(PATIENCE_SECONDS)


def rss_mb(pid: int) -> float:
    """Return a process's resident memory (Linux); 0 where it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), 0)
