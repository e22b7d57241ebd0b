"""What the chart runs is what our command line takes, of the version that the chart names."""

from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from typer.core import TyperGroup
from typer.main import get_command

from streams.cli import app
from streams.command_line.options import Exit
from tests.helm.rendering import FILE, HELM, Object, chart, kind, objects_of, of, pods

ROOT = HELM.parent


def parsed(arguments: list[str]) -> dict[str, object]:
    """Return what our command line makes of arguments; it fails for what it does not know."""
    command, given = get_command(app), list(arguments)
    while isinstance(command, TyperGroup):
        command = command.commands[given.pop(0)]
    return command.make_context(command.name, given).params


def test_our_command_line_takes_every_line_of_the_chart(objects: list[Object]) -> None:
    for pod in pods(objects):
        assert parsed(pod.arguments)["config"] == Path(FILE)
        mounts = {one["mountPath"] for one in pod.containers[0]["volumeMounts"]}
        assert FILE in mounts


def test_a_line_that_it_does_not_take_would_be_noticed() -> None:
    with pytest.raises(Exception, match="No such option"):
        parsed(["watch", "--confg", FILE])


def test_shards_share_the_run_out_among_jobs() -> None:
    made = objects_of(HELM / "ci" / "replay-values.yaml")

    lines = [pod.arguments for pod in pods(made) if pod.part == "replay"]

    asked = [parsed(line) for line in lines]
    assert [str(one["part"]) for one in asked] == ["1/3", "2/3", "3/3"]
    assert {one["name"] for one in asked} == {"new-judge"}
    assert {str(one["begin"]) for one in asked} == {"2026-01-01 00:00:00+00:00"}
    assert len({one["metadata"]["name"] for one in kind("Job", made)}) == 3


def test_one_shard_is_the_whole_run_and_says_nothing_of_shards() -> None:
    (pod,) = [one for one in pods(of("{replay: {enabled: true, run: r}}")) if one.part == "replay"]

    assert pod.arguments == ["replay", "--run", "r", "--config", FILE]


def test_another_replay_is_another_job_for_a_job_cannot_be_changed() -> None:
    def names(more: str) -> set[str]:
        made = of(f"{{replay: {{enabled: true, run: r{more}}}}}")
        return {one["metadata"]["name"] for one in kind("Job", made)}

    assert names("") == names("")
    assert not names("") & names(", args: [--budget, 9calls]")


def test_a_replay_is_tried_again_where_another_try_may_help() -> None:
    (job,) = kind("Job", of("{replay: {enabled: true, run: r}}"))

    rules = job["spec"]["podFailurePolicy"]["rules"]

    given_up = [rule["onExitCodes"]["values"] for rule in rules if rule["action"] == "FailJob"]
    assert given_up == [[Exit.WRONG, Exit.NOT_WELL]]
    assert [rule["action"] for rule in rules if "onExitCodes" not in rule] == ["Ignore"]
    assert job["spec"]["template"]["spec"]["restartPolicy"] == "Never"
    assert job["spec"]["backoffLimit"] > 0


def test_helm_test_looks_at_settings_topics_and_judge_and_then_goes() -> None:
    (pod,) = kind("Pod", of("{}"))

    assert pod["spec"]["containers"][0]["args"] == ["check", "--config", FILE]
    assert pod["metadata"]["annotations"]["helm.sh/hook"] == "test"
    policy = pod["metadata"]["annotations"]["helm.sh/hook-delete-policy"]
    assert policy == "before-hook-creation,hook-succeeded"


def test_the_image_is_of_the_projects_version() -> None:
    about = chart().metadata
    images = {pod.containers[0]["image"] for pod in pods(of("{}"))}

    assert about["appVersion"] == version("streamgauge")
    assert images == {f"streamgauge:{about['appVersion']}"}


def test_the_rules_are_those_of_the_folder_deploy() -> None:
    theirs = ROOT / "deploy" / "prometheus" / "rules.yml"

    ours = (HELM / "files" / "rules.yml").read_text(encoding="utf-8")

    assert ours == theirs.read_text(encoding="utf-8"), f"copy {theirs.relative_to(ROOT)} there"
    (rule,) = kind("PrometheusRule", of("{prometheusRule: {enabled: true}}"))
    assert rule["spec"] == yaml.safe_load(ours)
