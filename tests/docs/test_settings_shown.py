"""The YAML of the pages is settings that load, or is said to be another program's."""

from collections.abc import Mapping
from pathlib import Path

import pytest
import trustme
import yaml

from streams.settings.load import Settings, load
from streams.settings.overrides import merged
from tests.docs.pages import Block, blocks
from tests.docs.test_blocks import PROGRAMS
from tests.scorers.plugin import install

LEAST: Mapping[str, object] = {
    "judge": {"kind": "chat", "chat": {"url": "https://judge.example/v1", "model": "judge-1"}}
}
"""What a snippet that says nothing of the judge stands beside: some keys want a model."""

SECRETS = ("STREAMGAUGE_KAFKA_PASSWORD", "STREAMGAUGE_KAFKA_CLIENT_SECRET")

shown = pytest.mark.parametrize("block", blocks("yaml"), ids=lambda block: block.place)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that settings name, the secrets, and the scorer of the pages."""
    monkeypatch.chdir(tmp_path)
    for name in SECRETS:
        monkeypatch.setenv(name, "s3cret")
    authority = trustme.CA()
    worker = authority.issue_cert("worker")
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    worker.cert_chain_pems[0].write_to_path(tmp_path / "worker.pem")
    worker.private_key_pem.write_to_path(tmp_path / "worker.key")
    scorer = next(one.text for one in blocks("python") if "class Concise" in one.text)
    offers = "concise = acme_concise:Concise"
    install(tmp_path, scorer, name="acme_concise", offers=offers)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@shown
def test_yaml_is_settings_that_load_unless_it_is_said_whose_it_is(block: Block, here: Path) -> None:
    values = yaml.safe_load(block.text)
    if block.mark:
        assert block.said in PROGRAMS, f"{block.said} is none of {sorted(PROGRAMS)}"
        return

    file = here / "streamgauge.yaml"
    least = {} if "kind" in values.get("judge", {}) else LEAST
    text = yaml.safe_dump(merged(least, values), sort_keys=False)
    file.write_text(text.replace("/etc/streamgauge", str(here)), encoding="utf-8")

    load(file)


def test_a_section_that_nobody_reads_is_seen(here: Path) -> None:
    """The check of the pages can fail."""
    with pytest.raises(Exception, match="judges"):
        load_text("judges: {kind: rules}", here)


def load_text(text: str, here: Path) -> Settings:
    file = here / "streamgauge.yaml"
    file.write_text(text)
    return load(file)
