"""What is wrong with values is said before anything runs, with the path of the value."""

import pytest

from tests.helm.rendering import chart, of, refusal, rendered, values

UNKNOWN = [
    "{scor: {}}",
    "{config: {jugde: {}}}",
    "{config: {judge: {chat: {modle: m}}}}",
    "{config: {alerts: [{name: a, kind: threshold, scorer: s, abov: 1}]}}",
    "{config: {judge: {kind: oracle}}}",
    "{secrets: {STREAMGAUGE_CHAT_KEY: {name: a}}}",
    "{secrets: {CHAT_KEY: {name: a, key: b}}}",
    "{image: {repo: a}}",
    "{pod: {nodeselector: {a: b}}}",
    "{watch: {autoscaling: {enabled: true}}}",
    "{score: {replicas: 0}}",
    "{score: {autoscaling: {minReplicas: 0}}}",
    "{score: {pod: {resources: {limit: {}}}}}",
    "{pod: {terminationGracePeriodSeconds: 30}}",
    "{securityContext: {runAsUser: 0}}",
    "{securityContext: {privileged: true}}",
    "{networkPolicy: {kafka: {cidr: 10.0.0.0/8}}}",
    "{replay: {shards: 1.5}}",
]


@pytest.mark.parametrize("text", UNKNOWN)
def test_what_the_chart_does_not_know_is_refused_with_its_path(text: str) -> None:
    first = text.split(":")[0].strip("{")

    said = refusal(text)

    assert f"/{first}" in said or f"'{first}'" in said


SASL = "kafka: {protocol: sasl_ssl, username: u, mechanism"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("{config: {broker: 'folder:./data'}}", "config.broker: pods share no folder"),
        ("{config: {broker: 'kafka://k:1', serve: {host: 127.0.0.1}}}", "config.serve.host:"),
        ("{config: {broker: 'kafka://k:1', serve: {port: 0}}}", "config.serve.port:"),
        ("{replay: {enabled: true}}", "replay.run:"),
        ("{podMonitor: {enabled: true}, serviceMonitor: {enabled: true}}", "podMonitor.enabled:"),
        (
            f"{{config: {{broker: 'kafka://k:1', {SASL}: PLAIN}}}}}}",
            "secrets.STREAMGAUGE_KAFKA_PASSWORD: config.kafka.mechanism: PLAIN needs it",
        ),
        (
            f"{{config: {{broker: 'kafka://k:1', {SASL}: OAUTHBEARER}}}}}}",
            "secrets.STREAMGAUGE_KAFKA_CLIENT_SECRET: config.kafka.mechanism: OAUTHBEARER",
        ),
        (
            "{config: {broker: 'kafka://k:1', notify: [{name: on-call, kind: slack}]}}",
            "secrets.STREAMGAUGE_NOTIFY_ON_CALL_URL: config.notify: on-call needs it",
        ),
        (
            "{secrets: {STREAMGAUGE_NOTIFY_OPS_URL: {name: a, key: b}}}",
            "secrets.STREAMGAUGE_NOTIFY_OPS_URL: config.notify has no receiver of that name",
        ),
        (
            "{config: {broker: 'kafka://k:1', sinks: [{kind: langfuse, url: 'https://l'}]}}",
            "secrets.STREAMGAUGE_SINK_LANGFUSE_KEY: config.sinks: langfuse needs it",
        ),
        (
            "{config: {broker: 'kafka://k:1', kafka: {protocol: ssl, ca: /ca.pem}},"
            " score: {autoscaling: {enabled: true}}}",
            "score.autoscaling.authenticationRef:",
        ),
    ],
)
def test_what_cannot_work_is_refused_by_its_name(text: str, named: str) -> None:
    assert named in refusal(text)


def test_a_broker_has_to_be_named() -> None:
    with pytest.raises(Exception, match=r"config\.broker: write kafka://HOST:PORT"):
        rendered({})


def test_a_secret_may_come_from_where_the_chart_cannot_look() -> None:
    made = of(
        f"{{config: {{broker: 'kafka://k:1', {SASL}: PLAIN}}}},"
        " pod: {extraEnvFrom: [{secretRef: {name: vault}}]}}"
    )

    assert made


def test_nothing_depends_on_what_a_cluster_says_of_itself() -> None:
    texts = [one["data"] for one in chart().templates]

    assert not [text for text in texts if "Capabilities" in text or "lookup" in text]


def test_null_is_a_setting_and_not_the_way_to_delete_one() -> None:
    (judged,) = [
        one
        for one in of("{config: {broker: 'kafka://k:1', scorers: {citation_accuracy: null}}}")
        if one["kind"] == "ConfigMap"
    ]

    said = values(judged["data"]["streamgauge.yaml"])

    assert said["scorers"] == {"citation_accuracy": None}
