"""Files of other programs that the pages show are taken by those programs, or by their schemas."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from streams.settings.overrides import merged
from tests.docs.pages import ROOT, Block, blocks
from tests.kafka.collecting.otelcol import PROGRAM

CHART = ROOT / "helm"


def shown_to(program: str) -> pytest.MarkDecorator:
    mine = [block for block in blocks("yaml") if block.mark == "for" and block.said == program]
    return pytest.mark.parametrize("block", mine, ids=lambda block: block.place)


def taken(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=110)  # noqa: S603
    assert done.returncode == 0, done.stdout + done.stderr


@shown_to("Helm")
def test_the_chart_knows_the_values(block: Block) -> None:
    schema = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
    values = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
    values["config"]["broker"] = "kafka://kafka.example.com:9092"

    Draft202012Validator(schema).validate(merged(values, yaml.safe_load(block.text)))


@pytest.mark.service
@shown_to("the Collector")
def test_a_collector_takes_its_settings(block: Block, tmp_path: Path) -> None:
    if not PROGRAM.exists():
        said = "SKIPPED: no Collector is built: make collector (it needs Go)"
        print(said, file=sys.stderr)  # noqa: T201 - said aloud
        pytest.skip(said)
    file = tmp_path / "collector.yaml"
    file.write_text(block.text, encoding="utf-8")

    taken(str(PROGRAM), "validate", "--config", str(file))
