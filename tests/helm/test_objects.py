"""Every set-up of the chart makes objects that Kubernetes takes, and that belong together."""

from pathlib import Path

import pytest

from tests.helm.kubernetes import VERSIONS, faults
from tests.helm.rendering import HELM, SETUPS, Object, helm, kind, objects_of, of, pods, setup

NAME, INSTANCE = "app.kubernetes.io/name", "app.kubernetes.io/instance"


def test_helm_has_nothing_to_say_against_a_set_up(of_setup: Path) -> None:
    told = helm().lint(str(HELM), setup(of_setup), strict=True)

    assert [one["error"] for one in told["messages"]] == ["icon is recommended"]
    assert told["errors"] == []


@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_takes_every_object(objects: list[Object], version: str) -> None:
    wrong = {f"{one['kind']} {one['metadata']['name']}": faults(one, version) for one in objects}

    assert not [found for found in wrong.items() if found[1]]


def test_an_object_that_is_wrong_would_be_noticed() -> None:
    deployment = kind("Deployment", of("{}"))[0]
    deployment["spec"]["replicas"] = "2"
    deployment["spec"]["template"]["spec"]["runAsRoot"] = True

    found = faults(deployment, "1.31")

    assert len(found) == 2


def test_every_kind_that_the_chart_has_is_in_a_set_up() -> None:
    made = {one["kind"] for path in SETUPS for one in objects_of(path)}

    assert made >= {
        "ConfigMap", "Deployment", "Job", "NetworkPolicy", "Pod", "PodDisruptionBudget",
        "PodMonitor", "PrometheusRule", "ScaledObject", "Service", "ServiceAccount",
        "ServiceMonitor", "TriggerAuthentication",
    }  # fmt: skip


def test_no_two_objects_have_one_name(objects: list[Object]) -> None:
    names = [(one["kind"], one["metadata"]["name"]) for one in objects]

    assert len(names) == len(set(names))


def test_what_selects_pods_finds_the_part_that_it_is_named_after(objects: list[Object]) -> None:
    labels = {pod.part: pod.labels for pod in pods(objects)}
    for one in objects:
        spec = one.get("spec", {})
        chosen = spec.get("selector" if "selector" in spec else "podSelector", {})
        chosen = chosen.get("matchLabels") if one["kind"] != "Service" else chosen
        if not chosen or one["kind"] == "ServiceMonitor":
            continue

        found = {part for part, of_part in labels.items() if chosen.items() <= of_part.items()}

        part = one["metadata"]["labels"].get("app.kubernetes.io/component")
        assert found == ({part} if part in labels else set(labels)), one["metadata"]["name"]


def test_pods_spread_among_their_own_part(objects: list[Object]) -> None:
    for pod in pods(objects):
        for spread in pod.spec["topologySpreadConstraints"]:
            assert spread["labelSelector"]["matchLabels"].items() <= pod.labels.items()


def test_a_service_monitor_finds_the_service_and_every_part_that_serves() -> None:
    made = of("{assemble: {enabled: true}, serviceMonitor: {enabled: true}}")

    (monitor,), (service,) = kind("ServiceMonitor", made), kind("Service", made)

    chosen = monitor["spec"]["selector"]["matchLabels"]
    assert chosen.items() <= service["metadata"]["labels"].items()
    serving = [pod for pod in pods(made) if "ports" in pod.containers[0]]
    assert {pod.part for pod in serving} == {"score", "watch", "assemble"}
    for pod in serving:
        assert service["spec"]["selector"].items() <= pod.labels.items()
        assert pod.containers[0]["ports"][0]["name"] == monitor["spec"]["endpoints"][0]["port"]


def test_a_part_that_is_off_leaves_nothing_behind() -> None:
    made = of(
        "{score: {enabled: false, autoscaling: {enabled: true}}, watch: {enabled: false},"
        " networkPolicy: {enabled: true}}"
    )

    kinds = sorted(one["kind"] for one in made)
    assert kinds == ["ConfigMap", "NetworkPolicy", "Pod", "ServiceAccount"]


def test_every_object_says_whose_it_is(objects: list[Object]) -> None:
    for one in objects:
        assert one["metadata"]["labels"][NAME] == "streamgauge"
        assert one["metadata"]["labels"][INSTANCE] == "live"


def test_names_stay_short_enough_for_a_jobs_pods() -> None:
    long = "a-name-that-goes-on-and-on-and-on-and-on-for-63-letters-as-it-may"[:63]
    made = of(f"{{fullnameOverride: {long}, replay: {{enabled: true, run: r}}}}")

    (job,) = kind("Job", made)

    assert len(job["metadata"]["name"] + "-abcde") <= 63
