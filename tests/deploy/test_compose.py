"""The compose file: sound, locked down, and of one mind with what it mounts and builds."""

import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from streams.cli import app
from streams.live import DRAIN, LEAVE
from streams.settings.load import Settings, load
from tests.deploy.composed import (
    COLLECTOR,
    COMPOSE,
    DEPLOY,
    SETTINGS,
    mounted_in,
    mounts,
    ours,
    services,
)
from tests.deploy.dockerfile import stages
from tests.deploy.worlds import PROJECT
from tests.kafka.apache import JARS
from tests.kafka.collecting.otelcol import BUILDER

DOCKERFILE = stages((DEPLOY / "Dockerfile").read_text())[-1]


@pytest.fixture(scope="module")
def settings() -> Settings:
    return load(SETTINGS)


def schema_says(file: Path) -> int:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    return subprocess.run([*command, file], check=False, capture_output=True).returncode  # noqa: S603


def test_it_keeps_to_the_schema_of_compose_which_refuses_a_misspelt_key(tmp_path: Path) -> None:
    (misspelt := tmp_path / "compose.yaml").write_text(
        COMPOSE.read_text().replace("read_only: true", "readonly: true")
    )

    assert schema_says(COMPOSE) == 0
    assert schema_says(misspelt) == 1


@pytest.mark.parametrize("name", services())
def test_a_service_has_no_privileges_a_bound_and_an_image_of_a_named_version(name: str) -> None:
    service = services()[name]

    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"] is (name != "kafka")
    assert re.fullmatch(r"\d+[mg]", service["mem_limit"])
    assert name in ours() or re.search(r":v?\d+\.\d+\.\d+$", service["image"])
    assert not {"privileged", "user", "cap_add", "pid", "network_mode"} & service.keys()


@pytest.mark.parametrize("name", services())
def test_what_a_service_mounts_of_ours_is_there_and_read_only(name: str) -> None:
    files = [(source, how) for source, _, how in mounts(services()[name]) if source[0] == "."]

    assert [source for source, _ in files if not (DEPLOY / source).exists()] == []
    assert {how for _, how in files} <= {"ro"}


@pytest.mark.parametrize("name", services())
def test_a_port_is_open_to_this_machine_alone(name: str) -> None:
    assert all(port.startswith("127.0.0.1:") for port in services()[name].get("ports", ()))


def test_no_secret_is_written_and_the_file_of_them_goes_nowhere() -> None:
    told = [name for one in services().values() for name in one.get("environment", ())]

    assert not [name for name in told if re.search("KEY|PASSWORD|SECRET$|TOKEN", name)]
    assert {one["env_file"][0]["path"] for one in ours().values()} == {"secrets.env"}
    ignored = (PROJECT / ".gitignore").read_text().splitlines()
    assert {"/deploy/secrets.env", "/deploy/alertmanager/secrets/"} <= {*ignored}


def test_nobody_waits_for_the_health_of_what_has_no_check() -> None:
    healthy = {
        other
        for one in services().values()
        for other, how in one.get("depends_on", {}).items()
        if how["condition"] == "service_healthy"
    }

    assert all("test" in services()[name]["healthcheck"] for name in healthy)


def test_our_services_run_commands_that_there_are_once_the_topics_are_made() -> None:
    commands = {name: one["command"] for name, one in ours().items()}

    assert commands.pop("topics") == ["topics", "create"]
    assert commands == {name: [name] for name in ("score", "watch", "assemble")}
    root = get_command(app)
    assert {*commands, "topics"} <= {*getattr(root, "commands", ())}
    made = {"topics": {"condition": "service_completed_successfully"}}
    assert all(ours()[name]["depends_on"] == made for name in commands)


def test_our_services_have_time_to_stop() -> None:
    allowed = [
        timedelta(seconds=int(one["stop_grace_period"].removesuffix("s")))
        for one in ours().values()
    ]

    assert min(allowed) > DRAIN + LEAVE + timedelta(seconds=10)


def test_settings_lie_where_the_image_looks_for_them_and_files_go_where_it_may_write() -> None:
    place = DOCKERFILE.last("WORKDIR").rest + "/streamgauge.yaml"

    assert {mounted_in(one, place) for one in ours().values()} == {SETTINGS}
    assert all(one["tmpfs"][0].startswith("/tmp:") for one in ours().values())  # noqa: S108


def test_the_settings_and_the_services_speak_of_the_same_places(settings: Settings) -> None:
    kafka = services()["kafka"]["environment"]
    told = services()["score"]["environment"]

    assert settings.broker == "kafka://kafka:9092"
    assert "INSIDE://kafka:9092" in kafka["KAFKA_ADVERTISED_LISTENERS"].split(",")
    assert str(settings.telemetry.otlp).rstrip("/") == "http://collector:4318"
    assert [receiver.name for receiver in settings.notify] == ["ops"]
    assert told == {"STREAMGAUGE_NOTIFY_OPS_URL": "http://alertmanager:9093"}
    assert (settings.serve.host, str(settings.serve.port)) == (
        "0.0.0.0",  # noqa: S104 - a container's own network
        DOCKERFILE.last("EXPOSE").rest,
    )


def test_prometheus_scrapes_our_services_and_tells_the_alertmanager(settings: Settings) -> None:
    told = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
    scraped = [one for job in told["scrape_configs"] for one in job["dns_sd_configs"]]

    names = {name for one in scraped for name in one["names"]}
    assert names == ours().keys() - {"topics"}
    assert {one["port"] for one in scraped} == {settings.serve.port}
    (desk,) = told["alerting"]["alertmanagers"]
    assert desk["static_configs"] == [{"targets": ["alertmanager:9093"]}]


def test_grafana_finds_the_dashboards_and_its_sources() -> None:
    grafana = services()["grafana"]
    provisioned = mounted_in(grafana, "/etc/grafana/provisioning")
    (provider,) = _said(provisioned / "dashboards")["providers"]
    sources = {one["uid"]: one["url"] for one in _said(provisioned / "datasources")["datasources"]}

    assert [*mounted_in(grafana, provider["options"]["path"]).glob("*.json")]
    assert sources["prometheus"] == "http://prometheus:9090"
    assert sources["alertmanager"] == "http://alertmanager:9093"


def _said(folder: Path) -> Any:
    """Return what the one file of a folder says."""
    (file,) = folder.glob("*.y*ml")
    return yaml.safe_load(file.read_text())


def test_the_collector_writes_what_assemble_reads(settings: Settings) -> None:
    told = yaml.safe_load(COLLECTOR.read_text())
    kafka = told["exporters"]["kafka"]

    assert kafka["traces"] == {
        "topic": settings.assemble.topic,
        "encoding": settings.assemble.encoding,
    }
    assert kafka["partition_traces_by_id"] is settings.assemble.by_trace is True
    assert kafka["brokers"] == ["${env:KAFKA_BROKERS:-kafka:9092}"]
    assert "kafka" in told["service"]["pipelines"]["traces"]["exporters"]


def test_broker_and_collector_are_those_that_the_tests_run() -> None:
    assert services()["kafka"]["image"].partition(":")[2] in JARS
    assert services()["collector"]["image"].partition(":")[2] == BUILDER.partition("@v")[2]
