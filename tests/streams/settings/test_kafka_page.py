"""The examples of the page on Kafka's security are settings that load."""

import re
from pathlib import Path

import pytest
import trustme

from streams.settings.edges import KafkaSettings
from streams.settings.load import Settings, load
from streams.wiring.broker import Wiring

PAGE = (Path(__file__).parents[3] / "docs" / "kafka-security.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
MECHANISMS = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "AWS_MSK_IAM"}


@pytest.fixture(params=EXAMPLES)
def settings(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Settings:
    """Load an example, with its secrets set and its files here."""
    for name in ("PASSWORD", "CLIENT_SECRET"):
        monkeypatch.setenv(f"STREAMGAUGE_KAFKA_{name}", "s3cret")
    authority = trustme.CA()
    worker = authority.issue_cert("worker")
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    worker.cert_chain_pems[0].write_to_path(tmp_path / "worker.pem")
    worker.private_key_pem.write_to_path(tmp_path / "worker.key")
    file = tmp_path / "streamgauge.yaml"
    file.write_text(request.param.replace("/etc/streamgauge", str(tmp_path)), encoding="utf-8")
    return load(file)


def test_each_example_makes_a_connection_of_its_kind(settings: Settings) -> None:
    link = Wiring(settings).cluster

    assert link.security.protocol.lower() == settings.kafka.protocol
    assert link.security.mechanism in {settings.kafka.mechanism, "OAUTHBEARER"}


def test_there_is_an_example_for_each_mechanism() -> None:
    shown = set(re.findall(r"^  mechanism: (\S+)$", "\n".join(EXAMPLES), re.MULTILINE))

    assert shown == MECHANISMS


def test_every_variable_and_key_of_the_page_is_one_that_is_read() -> None:
    keys = set(re.findall(r"`kafka\.([a-z_.]+)`", PAGE))
    known = set(KafkaSettings.model_fields) | {"oauth.client_id", "oauth.scope"}

    assert keys <= known
