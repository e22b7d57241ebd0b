"""Secrets come from Secrets that are there: none is in the chart, and each part gets its own."""

import re

import pytest

from streams.settings.secrets import holds_secret
from tests.helm.rendering import HELM, Object, chart, kind, of, pods, refusal

PLANTED = "sk-planted-0123456789"
EVERY = (
    "STREAMGAUGE_CHAT_KEY",
    "STREAMGAUGE_DECISIONS_KEY",
    "STREAMGAUGE_KAFKA_PASSWORD",
    "STREAMGAUGE_KAFKA_CLIENT_SECRET",
    "STREAMGAUGE_NOTIFY_OPS_URL",
    "STREAMGAUGE_SINK_LANGFUSE_KEY",
    "STREAMGAUGE_SINK_PHOENIX_KEY",
)


def test_no_set_up_makes_a_secret(objects: list[Object]) -> None:
    assert kind("Secret", objects) == []


def test_no_template_could_make_one() -> None:
    for template in (HELM / "templates").rglob("*.*"):
        text = template.read_text(encoding="utf-8")
        assert not re.search(r"kind:\s*Secret\b", text), template
        assert not re.search(r"b64enc|randAlpha|genCA|lookup", text), template


@pytest.mark.parametrize(
    "planted",
    [
        f"{{secrets: {{STREAMGAUGE_CHAT_KEY: {PLANTED}}}}}",
        f"{{secrets: {{STREAMGAUGE_CHAT_KEY: {{name: a, key: b, value: {PLANTED}}}}}}}",
        f"{{config: {{judge: {{chat: {{key: {PLANTED}}}}}}}}}",
        f"{{config: {{kafka: {{password: {PLANTED}}}}}}}",
        f"{{pod: {{extraEnv: [{{name: STREAMGAUGE_CHAT_KEY, value: {PLANTED}}}]}}}}",
        f"{{pod: {{extraEnv: [{{name: streamgauge_chat_key, value: {PLANTED}}}]}}}}",
        f"{{pod: {{extraEnv: [{{name: OTEL_EXPORTER_OTLP_HEADERS, value: {PLANTED}}}]}}}}",
        f"{{watch: {{pod: {{extraEnv: [{{name: HF_TOKEN, value: {PLANTED}}}]}}}}}}",
        f"{{pod: {{extraEnv: [{{name: AWS_SECRET_ACCESS_KEY, value: {PLANTED}}}]}}}}",
    ],
)
def test_a_secret_that_is_written_into_values_is_refused(planted: str) -> None:
    said = refusal(planted)

    assert "- at '/" in said
    assert PLANTED not in said


def test_the_chart_knows_a_secret_by_its_variable_and_by_no_other_name() -> None:
    known = chart().schema
    assert known is not None
    (pattern,) = known["properties"]["secrets"]["patternProperties"]

    others = (
        "STREAMGAUGE_SERVE__PORT",
        "STREAMGAUGE_CHAT",
        "OTEL_EXPORTER_OTLP_HEADERS",
        "CHAT_KEY",
    )
    for name in (*EVERY, *others):
        assert bool(re.search(pattern, name)) == holds_secret(name), name


def test_each_part_gets_the_secrets_that_it_reads_and_no_more() -> None:
    given = {name: f"{{name: of-{name.lower()}, key: value}}" for name in EVERY}
    text = ", ".join(f"{name}: {ref}" for name, ref in given.items())
    made = of(
        f"""
        config: {{broker: "kafka://k:9092", notify: [{{name: ops, kind: slack}}]}}
        secrets: {{{text}}}
        assemble: {{enabled: true}}
        createTopics: {{enabled: true}}
        replay: {{enabled: true, run: r}}
        """
    )

    read = {pod.part: {name.split("_")[1] for name in pod.secrets} for pod in pods(made)}

    assert read == {
        "score": {"CHAT", "DECISIONS", "KAFKA", "SINK"},
        "replay": {"CHAT", "DECISIONS", "KAFKA"},
        "watch": {"KAFKA", "NOTIFY"},
        "assemble": {"KAFKA"},
        "topics": {"KAFKA"},
        "check": {"CHAT", "DECISIONS", "KAFKA", "NOTIFY", "SINK"},
    }


def test_a_variable_is_read_from_the_key_that_is_named() -> None:
    made = of("{secrets: {STREAMGAUGE_CHAT_KEY: {name: judge, key: token}}}")

    (score,) = [pod for pod in pods(made) if pod.part == "score"]

    assert score.secrets == {"STREAMGAUGE_CHAT_KEY": ("judge", "token")}


def test_kedas_password_is_read_from_the_same_secret() -> None:
    made = of(
        """
        config:
          broker: kafka://k:9092
          kafka: {protocol: sasl_ssl, mechanism: PLAIN, username: u}
        secrets: {STREAMGAUGE_KAFKA_PASSWORD: {name: kafka, key: word}}
        score: {autoscaling: {enabled: true}}
        """
    )

    (proof,) = kind("TriggerAuthentication", made)

    refs = proof["spec"]["secretTargetRef"]
    assert refs == [{"parameter": "password", "name": "kafka", "key": "word"}]
