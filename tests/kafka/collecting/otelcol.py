"""A real OpenTelemetry Collector, built once out of Go modules into the user's cache.

python -m tests.kafka.collecting.otelcol   builds it where Go is; says so in a line where it is not
"""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.kafka.broker import die_with_parent
from tests.kafka.proxy import free_port

BUILDER = "go.opentelemetry.io/collector/cmd/builder@v0.165.0"
MODULES = Path(__file__).with_name("builder.yaml")
PATIENCE_SECONDS = 600
CACHE = Path.home() / ".cache" / "streamgauge" / "collector"
PROGRAM = CACHE / "v0.165.0" / "otelcol-streamgauge"

_SETTINGS = """\
receivers: {{otlp: {{protocols: {{http: {{endpoint: "127.0.0.1:{port}"}}}}}}}}
processors: {{batch: {{timeout: 200ms}}}}
exporters:
  kafka:
    brokers: ["{kafka}"]
    traces: {{topic: {topic}, encoding: otlp_proto}}
    partition_traces_by_id: true
    producer: {{compression: zstd}}
  otlp_http: {{endpoint: "{onward}", compression: none}}
service:
  telemetry: {{metrics: {{level: none}}}}
  pipelines:
    traces: {{receivers: [otlp], processors: [batch], exporters: [kafka, otlp_http]}}
    logs: {{receivers: [otlp], processors: [batch], exporters: [otlp_http]}}
    metrics: {{receivers: [otlp], exporters: [otlp_http]}}
"""


def go() -> str | None:
    """Return Go's program, None where it is not installed."""
    return shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")


def build() -> str:
    """Build the Collector unless it is there, and return a line that says what became of it."""
    if PROGRAM.exists():
        return f"the Collector is there: {PROGRAM}"
    if (compiler := go()) is None:
        return "SKIPPED: no Collector is built, for Go is not here (https://go.dev/doc/install)"
    work = CACHE / "build"
    work.mkdir(parents=True, exist_ok=True)
    paths = f"{Path(compiler).parent}{os.pathsep}{os.environ['PATH']}"  # noqa: TID251 - a child's
    variables = {**os.environ, "GOBIN": str(work), "PATH": paths}  # noqa: TID251
    for command in (
        [compiler, "install", BUILDER],
        [str(work / "builder"), "--config", str(MODULES)],
    ):
        try:
            subprocess.run(command, cwd=work, env=variables, check=True, timeout=PATIENCE_SECONDS)  # noqa: S603
        except subprocess.SubprocessError as error:
            return f"SKIPPED: no Collector is built: {error}"
    PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    (work / "build" / PROGRAM.name).replace(PROGRAM)  # at once: two may build at one time
    return f"the Collector is built: {PROGRAM}"


@contextmanager
def otelcol(folder: Path, *, kafka: str, topic: str, onward: str) -> Iterator[str]:
    """Yield the OTLP address of a Collector that writes spans to a topic, and sends all onward.

    Skips the test with one line where none is built.
    """
    if not PROGRAM.exists():
        said = "no Collector is built: make collector (it needs Go)"
        print(f"SKIPPED: {said}", file=sys.stderr)  # noqa: T201 - said aloud
        pytest.skip(said)
    port, settings = free_port(), folder / "collector.yaml"
    settings.write_text(_SETTINGS.format(port=port, kafka=kafka, topic=topic, onward=onward))
    with (folder / "collector.log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 - what we built
            [PROGRAM, "--config", settings],
            stdout=log,
            stderr=log,
            preexec_fn=die_with_parent,
        )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def listens(address: str) -> bool:
    """Say whether somebody listens there."""
    host, _, port = address.removeprefix("http://").partition(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


if __name__ == "__main__":
    print(build())  # noqa: T201
