"""What runs is hardened, probed and given time to leave; it starts anew when settings change."""

import pytest

from streams.live import DRAIN, LEAVE
from tests.helm.rendering import Object, kind, of, pods

HARDENED = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}


def test_every_container_is_hardened(objects: list[Object]) -> None:
    for pod in pods(objects):
        assert pod.spec["securityContext"]["runAsNonRoot"] is True
        assert pod.spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod.spec["automountServiceAccountToken"] is False
        assert not {"hostNetwork", "hostPID", "hostIPC"} & pod.spec.keys()
        for container in pod.containers:
            assert container["securityContext"] == HARDENED
            assert {"requests", "limits"} == container["resources"].keys()


def test_users_are_numbers_but_where_the_platform_gives_them() -> None:
    usual, openshift = of("{}"), of("{securityContext: {runAsUser: null, runAsGroup: null}}")

    said = [next(pods(made)).spec["securityContext"] for made in (usual, openshift)]

    assert {"runAsUser", "runAsGroup", "fsGroup"} < said[0].keys()
    assert said[0]["runAsUser"] == 10001
    assert not {"runAsUser", "runAsGroup"} & said[1].keys()


def test_only_tmp_can_be_written(objects: list[Object]) -> None:
    for pod in pods(objects):
        mounts = pod.containers[0]["volumeMounts"]
        assert [one["mountPath"] for one in mounts if not one.get("readOnly")] == ["/tmp"]  # noqa: S108


def test_services_beside_us_do_not_become_variables(objects: list[Object]) -> None:
    # A Service streamgauge-x would be STREAMGAUGE_X_SERVICE_HOST, and no setting is called so.
    assert [pod.spec["enableServiceLinks"] for pod in pods(objects)] == [False] * len(
        list(pods(objects))
    )


def test_what_runs_for_good_is_probed_where_it_serves() -> None:
    made = of(
        "{config: {broker: 'kafka://k:9092', serve: {port: 9100}}, assemble: {enabled: true}}"
    )

    for deployment in kind("Deployment", made):
        container = deployment["spec"]["template"]["spec"]["containers"][0]
        probed = {
            name: container[f"{name}Probe"]["httpGet"]
            for name in ("startup", "liveness", "readiness")
        }

        assert container["ports"] == [{"name": "http", "containerPort": 9100}]
        assert {one["port"] for one in probed.values()} == {"http"}
        assert [one["path"] for one in probed.values()] == ["/healthz", "/healthz", "/readyz"]


def test_tables_have_ten_minutes_to_be_read() -> None:
    (watch,) = [pod for pod in pods(of("{}")) if pod.part == "watch"]

    probe = watch.containers[0]["startupProbe"]

    assert probe["failureThreshold"] * probe["periodSeconds"] >= 600


def test_a_pod_is_killed_only_after_it_should_have_left_by_itself(objects: list[Object]) -> None:
    for pod in pods(objects):
        assert pod.spec["terminationGracePeriodSeconds"] > (DRAIN + LEAVE).total_seconds()


def test_changed_settings_start_pods_anew_and_the_same_ones_do_not() -> None:
    def checksums(lateness: str) -> set[str]:
        made = of(f"{{config: {{broker: 'kafka://k:9092', watch: {{lateness: {lateness}}}}}}}")
        return {pod.annotations["checksum/config"] for pod in pods(made)}

    assert checksums("5m") == checksums("5m")
    assert len(checksums("5m") | checksums("6m")) == 2


def test_replicas_are_left_to_keda_where_it_scales() -> None:
    usual, scaled = of("{}"), of("{score: {autoscaling: {enabled: true}}}")

    def replicas(made: list[Object]) -> dict[str, int | None]:
        return {
            one["metadata"]["labels"]["app.kubernetes.io/component"]: one["spec"].get("replicas")
            for one in kind("Deployment", made)
        }

    assert replicas(usual) == {"score": 2, "watch": 1}
    assert replicas(scaled) == {"score": None, "watch": 1}


def test_a_part_may_differ_from_what_holds_for_all_pods() -> None:
    made = of(
        "{pod: {nodeSelector: {arch: amd64}, priorityClassName: low},"
        " watch: {pod: {nodeSelector: {disk: ssd}, priorityClassName: high}}}"
    )

    chosen = {
        pod.part: (pod.spec["nodeSelector"], pod.spec["priorityClassName"]) for pod in pods(made)
    }

    assert chosen["score"] == ({"arch": "amd64"}, "low")
    assert chosen["watch"] == ({"arch": "amd64", "disk": "ssd"}, "high")


@pytest.mark.parametrize("image", ["{tag: v2}", "{digest: sha256:" + "0" * 64 + ", tag: v2}"])
def test_a_digest_wins_over_a_tag(image: str) -> None:
    made = of(f"{{image: {image}}}")

    images = {pod.containers[0]["image"] for pod in pods(made)}

    expected = "streamgauge@sha256:" + "0" * 64 if "digest" in image else "streamgauge:v2"
    assert images == {expected}
