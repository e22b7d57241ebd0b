"""What commands refuse or do not find: exit codes, and the way out."""

from pathlib import Path

import pytest

from streams.folder.writer import TopicWriter
from tests.command import started, streamgauge


@pytest.mark.service
class TestABacktest:
    def test_refuses_rules_with_the_paths_of_their_keys(self, tmp_path: Path) -> None:
        (tmp_path / "rules.yaml").write_text(
            "alerts: [{name: a, kind: threshold, scorer: faithfulnes, above: 1.5, windw: 1h}]"
        )

        done = streamgauge("backtest", "rules.yaml", cwd=tmp_path, code=2)

        assert "alerts.0.above: should be less than 1" in done.stderr
        assert "alerts.0.windw: there is no such key" in done.stderr

    def test_refuses_a_time_without_its_zone(self, tmp_path: Path) -> None:
        (tmp_path / "rules.yaml").write_text("alerts: []")

        done = streamgauge("backtest", "rules.yaml", "--from", "2026-03-02", cwd=tmp_path, code=2)

        assert "write a time with its zone" in done.stderr

    def test_of_nothing_has_its_own_exit_code(self, tmp_path: Path) -> None:
        (tmp_path / "rules.yaml").write_text("alerts: []")

        done = streamgauge("backtest", "rules.yaml", cwd=tmp_path, code=3)

        assert done.stdout == ""
        assert "no scores of that time" in done.stderr


@pytest.mark.service
@pytest.mark.parametrize(("command", "code"), [("watch", 2), ("check", 3)])
def test_an_address_for_alerts_that_is_nobodys_is_told(
    command: str, code: int, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    stray = {"STREAMGAUGE_NOTIFY_OPS_URL": "https://hooks.example/", "STREAMGAUGE_SERVE__PORT": "0"}

    with started(command, "--broker", "folder:data", cwd=tmp_path, variables=stray) as process:
        assert process.wait(timeout=30) == code

    told = "STREAMGAUGE_NOTIFY_OPS_URL: notify has no receiver of that name"
    assert told in (tmp_path / "log").read_text()


@pytest.mark.service
def test_nothing_found_is_its_own_exit_code(tmp_path: Path) -> None:
    done = streamgauge("show", "no-such-trace", cwd=tmp_path, code=3)

    assert "neither a trace nor an alert" in done.stdout


@pytest.mark.service
@pytest.mark.parametrize(("command", "code"), [("score", 2), ("check", 3)])
def test_a_sink_without_its_key_is_told(command: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "streamgauge.yaml").write_text(
        "broker: folder:data\nsinks: [{kind: langfuse, url: 'https://langfuse.example'}]\n"
    )

    done = streamgauge(command, cwd=tmp_path, code=code)

    assert "set STREAMGAUGE_SINK_LANGFUSE_KEY" in done.stderr + done.stdout


@pytest.mark.service
def test_wrong_settings_name_the_key_and_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "streamgauge.yaml").write_text("sampling: {probabilty: 0.1}\nbroker: nowhere\n")

    done = streamgauge("check", cwd=tmp_path, code=2)

    assert "sampling.probabilty" in done.stderr
    assert "did you mean probability?" in done.stderr
    assert "broker: write folder:PATH" in done.stderr


@pytest.mark.service
@pytest.mark.parametrize("command", [["watch", "--once"], ["score", "--once"], ["check"]])
def test_a_broker_that_is_a_file_is_refused_by_every_command(
    tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "afile").touch()

    done = streamgauge(*command, "--broker", "folder:afile", cwd=tmp_path, code=2)

    assert "afile is a file: give a folder:PATH" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.service
def test_a_watch_on_kafka_that_shall_end_by_itself_is_refused(tmp_path: Path) -> None:
    kafka = ("--broker", "kafka://127.0.0.1:1")

    done = streamgauge("watch", "--once", *kafka, cwd=tmp_path, code=2)

    assert "--once: watch on Kafka has no end" in done.stderr


@pytest.mark.service
def test_a_second_watch_of_a_folder_is_refused_at_once(tmp_path: Path) -> None:
    alerts = TopicWriter.open(tmp_path / "topics", "rag.alerts")

    done = streamgauge("watch", "--broker", "folder:topics", cwd=tmp_path, code=1)

    alerts.close()
    assert "topic rag.alerts is in use by process" in done.stderr


@pytest.mark.service
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("/dev/stdin",), "a pipe cannot be read again"),
        (("rules.yaml", "--broker", "kafka://127.0.0.1:1"), "a file's verdicts go to a folder"),
        (("--against", "r"), "name another run"),
        (("--html", "page.html"), "give --against"),
        (("--against", "live", "--html", "nowhere/page.html"), "nowhere/page.html cannot be"),
        (("--against", "live", "--html", "."), "cannot be written"),
        (("--backtest", "rules.yaml"), "alerts: has to be given"),
    ],
)
def test_a_replay_begins_nothing_that_it_could_not_bring_to_its_end(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    (tmp_path / "rules.yaml").write_text("watch: {}")
    command = ("replay", "--run", "r", "--broker", "folder:topics", *arguments)

    done = streamgauge(*command, cwd=tmp_path, code=2)

    assert words in done.stderr
    assert not (tmp_path / "topics").exists()
