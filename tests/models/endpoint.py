"""An endpoint with a real model on 127.0.0.1, in a process of its own that ends with the test.

python -m tests.models.endpoint WEIGHTS CONTEXT_TOKENS   prints its address, serves until killed
"""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.kafka.broker import die_with_parent

MODEL = "smol-135m"
"""The name that replies give the model, whatever a request calls it."""

UNIT = 256
"""Tokens: a window is a multiple of it."""

PATIENCE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the model is asked, up to and with the version, and the process that answers."""

    url: str
    pid: int


@contextmanager
def serving(weights: Path, *, context: int, log: Path) -> Iterator[Endpoint]:
    """Start a server on a free port and yield it; it is killed by its id whatever happens."""
    with log.open("ab") as err:
        process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "tests.models.endpoint", str(weights), str(context)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=err,
            text=True,
            preexec_fn=die_with_parent,
        )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        if not address:
            raise RuntimeError(f"no model is served: {log.read_text()}")
        yield Endpoint(f"{address}/v1", process.pid)
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE_SECONDS)


def main(weights: str, context: str) -> None:
    """Serve the weights, and say where."""
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = weights
    settings.model_alias = {MODEL}
    settings.n_ctx, settings.n_parallel = int(context), 1
    settings.hostnames, settings.port = ["127.0.0.1"], 0
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.verbosity = 0
    server = xllamacpp.Server(settings)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    signal.pause()


if __name__ == "__main__":
    main(*sys.argv[1:])
