"""Starting workers as processes, and ending them by every means."""

import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.fakes import a_trace
from tests.kafka.broker import die_with_parent
from tests.kafka.worker import Entry, Plan, entries

PATIENCE_SECONDS = 60


@dataclass
class Workers:
    """Worker processes by slot. Each of their logs is a file beside the ledger."""

    plan: Plan
    module: str = "tests.kafka.worker"
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def ledger(self) -> Path:
        return Path(self.plan.ledger)

    def start(self, slot: str = "0") -> None:
        plan = replace(self.plan, slot=slot)
        with self.ledger.with_name(f"worker-{slot}.log").open("ab") as log:
            self.running[slot] = subprocess.Popen(  # noqa: S603 - our own worker
                [sys.executable, "-m", self.module, plan.to_json()],
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent,
            )

    def send(self, number: signal.Signals, slot: str = "0") -> None:
        self.running[slot].send_signal(number)

    def kill(self, slot: str = "0") -> None:
        self.send(signal.SIGKILL, slot)
        self.running.pop(slot).wait(PATIENCE_SECONDS)

    def stop(self, slot: str = "0") -> int:
        """Ask a worker to stop, and return its exit code."""
        self.send(signal.SIGTERM, slot)
        return self.running.pop(slot).wait(PATIENCE_SECONDS)

    def wait(self, slot: str = "0") -> int:
        """Wait until a worker ends by itself, and return its exit code."""
        return self.running.pop(slot).wait(PATIENCE_SECONDS)

    def end_all(self) -> None:
        for process in self.running.values():
            process.kill()
            process.wait(PATIENCE_SECONDS)

    def entries(self, what: str = "") -> list[Entry]:
        """Return the ledger's lines: all, or those of one kind."""
        return [entry for entry in entries(self.ledger) if what in ("", entry.what)]

    def begun(self) -> int:
        """Return how many calls were begun so far."""
        return len(self.entries("begin"))

    def log(self, slot: str = "0") -> str:
        return self.ledger.with_name(f"worker-{slot}.log").read_text()


@contextmanager
def workers(plan: Plan, module: str = "tests.kafka.worker") -> Iterator[Workers]:
    """Yield workers, and end those that still run at the end."""
    some = Workers(plan, module)
    try:
        yield some
    finally:
        some.end_all()


def traces(count: int, *, first: int = 0) -> list[bytes]:
    """Return rows whose answers tell them apart."""
    return [a_trace(f"Paris {n}.", id=f"{n:032x}").to_json() for n in range(first, first + count)]


def spread(values: Sequence[bytes], partitions: int) -> list[list[bytes]]:
    """Deal values out to partitions."""
    return [list(values[number::partitions]) for number in range(partitions)]
