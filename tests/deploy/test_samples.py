"""The sample settings: each is read by the real loader, and the one that needs nothing runs."""

from pathlib import Path

import pytest
import trustme

from streams.settings.load import Settings, load
from tests.command import streamgauge
from tests.deploy.composed import DEPLOY
from tests.streams.commands.traces import BAD, GOOD, rows

SAMPLES = sorted((DEPLOY / "streamgauge").glob("*.yaml"))
NAMES = [sample.name for sample in SAMPLES]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Settings]:
    """Return every sample's settings, where its certificates and password are there."""
    trustme.CA().cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    found = dict[str, Settings]()
    for sample in SAMPLES:
        with monkeypatch.context() as environment:
            if sample.name == "kafka-tls.yaml":
                environment.setenv("STREAMGAUGE_KAFKA__CA", str(tmp_path / "ca.pem"))
                environment.setenv("STREAMGAUGE_KAFKA_PASSWORD", "for this test")
            found[sample.name] = load(sample)
    return found


def test_the_samples_are_of_the_common_set_ups(read: dict[str, Settings]) -> None:
    assert read["folder.yaml"].folder == Path("streamgauge-data")
    assert read["folder.yaml"].judge.kind == "rules"
    assert read["kafka-chat.yaml"].judge.kind == "chat"
    assert read["kafka-cascade.yaml"].judge.cascade == ("rules", "decisions", "chat")
    assert read["kafka-tls.yaml"].kafka.protocol == "sasl_ssl"
    assert read["spans.yaml"].telemetry.otlp is not None
    assert read["by-key.yaml"].sampling.by == "key"


def test_what_serves_in_a_container_is_reached_from_outside(read: dict[str, Settings]) -> None:
    hosts = {name: settings.serve.host for name, settings in read.items()}

    assert hosts.pop("folder.yaml") == "127.0.0.1"
    assert {*hosts.values()} == {"0.0.0.0"}  # noqa: S104 - what the samples say


@pytest.mark.parametrize("sample", SAMPLES, ids=NAMES)
def test_a_sample_names_the_variables_that_it_needs(
    sample: Path, read: dict[str, Settings]
) -> None:
    settings, text = read[sample.name], sample.read_text()

    needed = {f"STREAMGAUGE_NOTIFY_{one.name.upper()}_URL" for one in settings.notify}
    needed |= {f"STREAMGAUGE_{one.upper()}_KEY" for one in settings.judge.stages if one != "rules"}
    if settings.kafka.username is not None:
        needed.add("STREAMGAUGE_KAFKA_PASSWORD")
    assert {name for name in needed if name not in text} == set()


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_is_listed(name: str) -> None:
    assert f"streamgauge/{name}" in (DEPLOY / "README.md").read_text()


@pytest.mark.service
def test_the_sample_of_a_folder_scores_and_watches(tmp_path: Path) -> None:
    config = ("--config", str(DEPLOY / "streamgauge" / "folder.yaml"))
    topics = tmp_path / "streamgauge-data"
    (topics / "rag.traces").mkdir(parents=True)
    (topics / "rag.traces" / "0.jsonl").write_text(rows(GOOD, BAD))

    streamgauge("check", *config, cwd=tmp_path)
    streamgauge("score", "--once", *config, cwd=tmp_path)
    streamgauge("watch", "--once", *config, cwd=tmp_path)

    written = {name: _written(topics / name) for name in ("rag.scores", "rag.windows")}
    assert all(f'"{row["trace_id"]}"' in written["rag.scores"] for row in (GOOD, BAD))
    assert '"helpdesk/production' in written["rag.windows"]


def _written(topic: Path) -> str:
    return "".join(file.read_text() for file in topic.glob("*.jsonl"))
