"""What protobuf needs, and what it costs nobody else."""

import subprocess
import sys

import pytest

WITHOUT = "import sys; sys.modules['opentelemetry.proto'] = None; sys.modules['google'] = None; "


@pytest.mark.service
@pytest.mark.parametrize(
    ("then", "said"),
    [
        ("span_reader('otlp_proto')", "pip install 'streamgauge[otlp]'"),
        (
            "from streams.assemble.splitting import splitter; splitter('otlp_proto')",
            "pip install 'streamgauge[otlp]'",
        ),
        ("print(span_reader('otlp_json').__module__)", "streams.assemble.otlp_json"),
        ("print(protobuf_is_here())", "False"),
    ],
)
def test_without_its_package_only_protobuf_is_missing(then: str, said: str) -> None:
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", f"{WITHOUT}from streams.assemble.otlp import *; {then}"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert said in done.stdout + done.stderr
