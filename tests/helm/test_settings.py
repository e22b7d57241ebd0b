"""The settings come out of the chart as they went in, and have no second name in it."""

import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from streams.settings.load import Settings, load
from streams.wiring.broker import Wiring
from streams.wiring.notifying import NotifyWiring
from streams.wiring.sinks import SinkWiring
from tests.helm.certificates import beside
from tests.helm.config_schema import config_schema
from tests.helm.rendering import (
    HELM,
    Object,
    chart,
    kind,
    objects_of,
    of,
    pods,
    rendered,
    settings_file,
    values,
)

DOCS = HELM.parent / "docs"
DEFAULTS = (
    (DOCS / "settings.md").read_text(encoding="utf-8").split("```yaml\n", 1)[1].split("```")[0]
)


@pytest.fixture(autouse=True)
def _no_variables_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STREAMGAUGE_TEST_KAFKA", "STREAMGAUGE_REQUIRE_TOOLS"):
        monkeypatch.delenv(name, raising=False)


def test_every_part_of_a_set_up_loads_what_it_is_given(
    objects: list[Object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "streamgauge.yaml"
    file.write_text(beside(tmp_path, settings_file(objects)), encoding="utf-8")
    for pod in pods(objects):
        with monkeypatch.context() as variables:
            for name in pod.secrets:
                variables.setenv(name, "https://pk-1:sk-2")

            wiring = Wiring(load(file))

            assert wiring.on_kafka
            assert pod.part not in {"watch", "check"} or not NotifyWiring(wiring).untold
            assert pod.part not in {"score", "check"} or not SinkWiring(wiring).keyless


def test_every_setting_goes_through_the_chart_as_it_is(tmp_path: Path) -> None:
    ours = {"broker": "kafka://k:9092", "serve": {"host": "::", "port": 1}}
    whole = {**yaml.safe_load(DEFAULTS), **ours}
    before, after = tmp_path / "before.yaml", tmp_path / "after.yaml"
    before.write_text(yaml.safe_dump(whole), encoding="utf-8")

    after.write_text(settings_file(rendered({"config": whole})), encoding="utf-8")

    assert load(after) == load(before)


def test_what_yaml_could_misread_stays_what_it_was(tmp_path: Path) -> None:
    text = """
    broker: kafka://k:9092
    kafka: {group: "0x10", slot: "1e3", start: 2026-01-31T09:15:00Z}
    intake: {max_bytes: 268435456, fields: {question: "on.off"}}
    sampling: {salt: "null", probability: 0.0000001}
    scorers: {citation_accuracy: null, factual_accuracy: null}
    criteria:
      - {name: "no", question: "Yes: #1 or {{ .Values }}?", answers: {"yes": good, "n": bad}}
    abstentions: ["~", "12:30:00", "2026-01-31", "line\\nbreak"]
    judge:
      kind: chat
      chat: {url: "https://m/v1", model: "1.10", seed: 9007199254740991, tokens_per_minute: 2000000}
    alerts: [{name: a, kind: threshold, scorer: faithfulness, above: 0.1, for: 2}]
    serve: {host: "::"}
    """
    before, after = tmp_path / "before.yaml", tmp_path / "after.yaml"
    before.write_text(text, encoding="utf-8")

    after.write_text(settings_file(rendered({"config": values(text)})), encoding="utf-8")

    assert load(after) == load(before)


# A lone = is nothing that PyYAML reads, and control characters are nothing that YAML has.
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.just("\n"), min_size=1)


@settings(max_examples=25, derandomize=True)
@given(TEXT.filter(lambda text: text != "="))
def test_any_text_comes_through_letter_by_letter(text: str) -> None:
    config = {"broker": "kafka://k:9092", "abstentions": [text]}

    said = yaml.safe_load(settings_file(rendered({"config": config})))

    assert said["abstentions"] == [text]


def test_without_a_word_a_pod_has_the_defaults_but_for_who_may_come_in(tmp_path: Path) -> None:
    file = tmp_path / "streamgauge.yaml"
    file.write_text(settings_file(of("{}")), encoding="utf-8")

    said = load(file).model_dump(exclude={"broker", "serve"})

    assert said == Settings().model_dump(exclude={"broker", "serve"})
    assert load(file).serve.port == Settings().serve.port


def test_the_schema_has_every_key_of_the_settings_and_no_other() -> None:
    schema = chart().schema

    assert schema["properties"]["config"] == config_schema(), (
        "python -m tests.helm.config_schema writes it"
    )


def test_no_value_of_the_chart_is_a_setting_under_another_name() -> None:
    templates = "\n".join(
        path.read_text(encoding="utf-8") for path in (HELM / "templates").rglob("*.*")
    )

    # A variable would win over the file, and so would an option.
    assert not re.search(r"STREAMGAUGE_\w+__", templates)
    assert not re.search(r"--(broker|sampling-probability|assistant)\b", templates)


@pytest.mark.parametrize("config", ["{}", "{kafka: {group: quality}, topics: {traces: answers}}"])
def test_keda_looks_where_the_score_half_reads(config: str, tmp_path: Path) -> None:
    config = f"{{broker: 'kafka://a:1,b:2', <<: {config}}}"
    made = of(f"{{config: {config}, score: {{autoscaling: {{enabled: true}}}}}}")
    file = tmp_path / "streamgauge.yaml"
    file.write_text(settings_file(made), encoding="utf-8")

    read, (scaled,) = load(file), kind("ScaledObject", made)

    looks = scaled["spec"]["triggers"][0]["metadata"]
    assert looks["bootstrapServers"] == "a:1,b:2"
    assert (looks["consumerGroup"], looks["topic"]) == (
        read.kafka.group,
        read.topics.traces,
    )
    assert looks["offsetResetPolicy"] == read.kafka.start


def test_the_network_policy_lets_through_what_the_settings_name() -> None:
    made = objects_of(HELM / "ci" / "production-values.yaml")

    ports = {
        one["metadata"]["labels"]["app.kubernetes.io/component"]: [
            port["port"] for rule in one["spec"]["egress"] for port in rule["ports"]
        ]
        for one in kind("NetworkPolicy", made)
    }

    kafka, otlp, judges = [9094, 9095], [4318], [8000, 443]
    assert ports["score"] == [53, 53, *kafka, *otlp, *judges, 443]
    assert ports["watch"] == [53, 53, *kafka, *otlp, 443]
