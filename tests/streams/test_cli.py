"""The commands as a user runs them: real processes on a folder log."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from schemas.score import ScoreEvent
from streams.folder.topic import read
from streams.folder.writer import TopicWriter

STREAMGAUGE = str(Path(sys.executable).parent / "streamgauge")
GOOD = {
    "trace_id": "t-good",
    "service": "helpdesk",
    "question": "When do you open?",
    "contexts": ["We open at 10 am on weekdays, and on Sundays at 11 am."],
    "answer": "We open at 10 am on weekdays. [1]",
}
BAD = GOOD | {"trace_id": "t-bad", "answer": "We open at 7 am on weekdays. [1]"}


def streamgauge(*arguments: str, cwd: Path, code: int = 0) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(  # noqa: S603 - our own command
        [STREAMGAUGE, *arguments], cwd=cwd, capture_output=True, text=True, check=False, timeout=90
    )
    assert done.returncode == code, done.stderr
    return done


def rows(*traces: Mapping[str, object]) -> str:
    return "".join(json.dumps(trace) + "\n" for trace in traces)


@contextmanager
def scoring_a_pipe(name: str, *, cwd: Path) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(  # noqa: S603 - our own command
        [STREAMGAUGE, "score", name],
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.service
class TestScoringAFile:
    def test_prints_an_event_of_each_scorer_as_json_lines_in_a_pipe(self, tmp_path: Path) -> None:
        (tmp_path / "rows.jsonl").write_text(rows(GOOD, BAD))

        done = streamgauge("score", "rows.jsonl", cwd=tmp_path)

        events = [ScoreEvent.model_validate_json(line) for line in done.stdout.splitlines()]
        assert len(events) == 4
        bad = {(e.trace.trace_id, e.scorer.name): e for e in events}["t-bad", "faithfulness"]
        assert getattr(bad.outcome, "bad", None) is True
        assert bad.sampling.probability == 1.0
        assert list(tmp_path.iterdir()) == [tmp_path / "rows.jsonl"]

    def test_says_which_line_cannot_be_read_and_goes_on(self, tmp_path: Path) -> None:
        (tmp_path / "rows.jsonl").write_text("{broken\n" + rows(GOOD))

        done = streamgauge("score", "rows.jsonl", cwd=tmp_path, code=3)

        assert "line 1: rejected, not_json" in done.stderr
        assert len(done.stdout.splitlines()) == 2

    def test_takes_rows_that_do_not_say_whose_they_are_with_an_assistant(
        self, tmp_path: Path
    ) -> None:
        ragas = {
            "user_input": GOOD["question"],
            "retrieved_contexts": GOOD["contexts"],
            "response": GOOD["answer"],
        }
        (tmp_path / "rows.jsonl").write_text(rows(ragas))

        done = streamgauge("score", "rows.jsonl", "--assistant", "shop/test", cwd=tmp_path)

        event = ScoreEvent.model_validate_json(done.stdout.splitlines()[0])
        assert event.assistant == "shop/test"

    @pytest.mark.parametrize("name", ["-", "/dev/stdin"])
    def test_takes_rows_as_they_come_through_a_pipe(self, tmp_path: Path, name: str) -> None:
        with scoring_a_pipe(name, cwd=tmp_path) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(rows(GOOD))
            process.stdin.flush()
            first = [ScoreEvent.model_validate_json(process.stdout.readline()) for _ in range(2)]
            rest, _ = process.communicate(rows(BAD).removesuffix("\n"), timeout=60)

        assert {event.trace.trace_id for event in first} == {"t-good"}
        assert {event.origin.topic for event in first} == {"stdin"}
        later = [ScoreEvent.model_validate_json(line) for line in rest.splitlines()]
        assert {(event.trace.trace_id, event.origin.offset) for event in later} == {("t-bad", 1)}
        assert process.returncode == 0

    def test_takes_a_file_that_stands_on_its_standard_input(self, tmp_path: Path) -> None:
        (tmp_path / "rows.jsonl").write_text(rows(GOOD, BAD))

        with (tmp_path / "rows.jsonl").open() as file:
            out = subprocess.check_output(  # noqa: S603 - our own command
                [STREAMGAUGE, "score", "-"], stdin=file, stderr=subprocess.DEVNULL, text=True
            )

        assert len(out.splitlines()) == 4

    def test_refuses_an_assistant_with_more_than_one_slash(self, tmp_path: Path) -> None:
        (tmp_path / "rows.jsonl").write_text(rows(GOOD))

        done = streamgauge("score", "rows.jsonl", "--assistant", "a/b/c", cwd=tmp_path, code=2)

        assert "intake.assistant: write service/environment with one slash" in done.stderr


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, object]]]:
    folder = tmp_path_factory.mktemp("demo")
    done = streamgauge("demo", "--seconds", "15", "--folder", "left", cwd=folder)
    yield folder, json.loads(done.stdout.splitlines()[-1])


CONFIG = ("--config", "left/streamgauge.yaml")
LINKED = """
notify:
  - name: ops
    kind: slack
    links:
      trace: "https://t.example/{trace_id}"
      runbook: "https://runbooks.example/{rule}"
      dashboard: "https://board.example/?s={service_name}&from={from}&to={to}"
"""


@pytest.mark.service
class TestTheDemo:
    def test_has_one_alert_for_the_bad_release_resolved_after_it(
        self, played: tuple[Path, dict[str, object]]
    ) -> None:
        _, figures = played

        alerts = figures["alerts"]
        assert isinstance(alerts, list)
        [alert] = alerts
        assert alert["assistant"] == "bike-desk/production"
        assert alert["rule"] == "bad-answers"
        assert "T11:30" < alert["fired_at"][10:16] < "T12:40"
        assert "T12:40" < alert["resolved_at"][10:16] < "T14:10"

    def test_its_last_alert_can_be_shown_with_the_claims_that_failed(
        self, played: tuple[Path, dict[str, object]]
    ) -> None:
        folder, _ = played

        said = streamgauge("show", "last-alert", *CONFIG, cwd=folder).stdout

        assert "what moved: prompt_version = v8" in said
        assert "faithfulness by rules: BAD" in said
        assert "evidence [" in said

    def test_at_night_its_alert_says_all_that_is_needed_to_act(
        self, played: tuple[Path, dict[str, object]], tmp_path: Path
    ) -> None:
        """As it stood when it fired, with the links that a receiver's settings give it."""
        folder, _ = played
        (tmp_path / "linked.yaml").write_text((folder / CONFIG[1]).read_text() + LINKED)
        found = streamgauge("backtest", str(tmp_path / "linked.yaml"), cwd=folder).stdout
        fired = json.loads(found.splitlines()[0])["steps"][0]
        shutil.copytree(folder / "left", tmp_path / "left")
        line = json.dumps({"key": fired["dedup_key"], "value": fired}) + "\n"
        (tmp_path / "left" / "rag.alerts" / "0.jsonl").write_text(line)

        there = ("--broker", "folder:left")
        said = streamgauge("show", "last-alert", *there, cwd=tmp_path).stdout
        [command] = [one for one in said.splitlines() if one.startswith("mute it: streamgauge ")]
        muted = streamgauge(*command.split()[3:], "--by", "kim", cwd=tmp_path).stdout
        again = streamgauge("show", "last-alert", *there, cwd=tmp_path).stdout

        head, firing, rate = said.splitlines()[:3]
        assert head.startswith("bad-answers (page), bike-desk/production, faithfulness: firing")
        assert "faithfulness flagged" in firing
        assert f"since {fired['starts_at'][:10]} {fired['starts_at'][11:16]} UTC" in firing
        assert re.fullmatch(r"  flagged rate \S+% \(\S+% to \S+%\), threshold 10%, n=\d+", rate)
        assert re.search(r"judged by rules, series \S+", said)
        assert re.search(r"what changed: Bad answers \S+ points \(.*\) on the day before", said)
        assert "what moved: prompt_version = v8" in said
        assert "runbook: https://runbooks.example/bad-answers" in said
        assert "dashboard: https://board.example/?s=bike-desk&from=" in said
        trace = fired["exemplars"][0]["trace_id"]
        assert (
            f"trace {trace} ({fired['exemplars'][0]['label']}): https://t.example/{trace}" in said
        )
        assert re.search(
            r"\n    (not in the evidence|contradicted), .*\n      evidence \[1\] ", said
        )
        assert "by kim" in muted
        assert "muted by kim until" in again

    def test_a_backtest_of_its_rules_says_what_the_demo_said_even_without_marks(
        self, played: tuple[Path, dict[str, object]], tmp_path: Path
    ) -> None:
        folder, _ = played
        shutil.copytree(folder / "left" / "rag.scores", tmp_path / "scores" / "rag.scores")
        without = ("--broker", f"folder:{tmp_path / 'scores'}")

        told = streamgauge("backtest", CONFIG[1], cwd=folder).stdout.splitlines()
        made = streamgauge("backtest", CONFIG[1], *without, cwd=folder).stdout.splitlines()

        alerts = [json.loads(r.value or b"") for r in read(folder / "left", "rag.alerts")]
        for lines, marked in ((told, True), (made, False)):
            episode, summary = map(json.loads, lines)
            assert episode["steps"] == alerts
            assert summary["rules"]["bad-answers"]["episodes"] == 1
            assert summary["rules"]["traffic-vanished"]["minutes_firing"] == 0
            assert (summary["time_made_until"] is None) == marked
        assert any(json.loads(told[0])["failed_claims"].values())
        assert not (tmp_path / "scores" / "rag.alerts").exists()

    def test_another_rule_can_be_tried_on_it_for_a_while_of_it(
        self, played: tuple[Path, dict[str, object]], tmp_path: Path
    ) -> None:
        folder, _ = played
        rules = tmp_path / "rules.yaml"
        rules.write_text(
            "alerts: [{name: any, kind: threshold, scorer: faithfulness, above: 0.02, window: 30m}]"
        )

        span = ("--from", "2026-03-02T10:00:00Z", "--to", "2026-03-02T12:00:00Z")
        done = streamgauge("backtest", str(rules), *CONFIG, *span, cwd=folder)

        *episodes, summary = map(json.loads, done.stdout.splitlines())
        assert {episode["rule"] for episode in episodes} == {"any"}
        assert episodes[-1]["resolved_at"] is None
        assert (summary["start"], summary["end"]) == (
            "2026-03-02T10:00:00.000Z",
            "2026-03-02T12:00:00.000Z",
        )

    def test_each_trace_says_why_it_was_sampled_or_not(
        self, played: tuple[Path, dict[str, object]]
    ) -> None:
        folder, _ = played
        keys = [(r.key or b"").decode() for r in read(folder / "left", "rag.traces")][:12]

        said = [streamgauge("show", key, *CONFIG, cwd=folder).stdout for key in keys]

        assert any("faithfulness: sampled" in one for one in said)
        assert any("faithfulness: not sampled" in one for one in said)

    def test_watching_it_again_says_nothing_twice(
        self, played: tuple[Path, dict[str, object]]
    ) -> None:
        folder, _ = played
        before = sum(1 for _ in read(folder / "left", "rag.alerts"))

        streamgauge("watch", "--once", *CONFIG, cwd=folder)

        assert sum(1 for _ in read(folder / "left", "rag.alerts")) == before

    def test_is_checked_without_a_complaint(self, played: tuple[Path, dict[str, object]]) -> None:
        folder, _ = played

        said = streamgauge("check", *CONFIG, cwd=folder).stdout
        assert "scorer faithfulness can judge 200 of 200 rows" in said
        assert "judge rules: asks nobody, and costs nothing" in said


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
def test_the_demo_overwrites_nothing_but_a_demo(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("ten years of work")

    done = streamgauge("demo", "--folder", "mine", cwd=tmp_path, code=2)

    assert "--folder mine: in use" in done.stderr
    assert (tmp_path / "mine" / "thesis.txt").exists()


@pytest.mark.service
def test_nothing_found_is_its_own_exit_code(tmp_path: Path) -> None:
    done = streamgauge("show", "no-such-trace", cwd=tmp_path, code=3)

    assert "neither a trace nor an alert" in done.stdout


@pytest.mark.service
def test_wrong_settings_name_the_key_and_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "streamgauge.yaml").write_text("sampling: {probabilty: 0.1}\nbroker: nowhere\n")

    done = streamgauge("check", cwd=tmp_path, code=2)

    assert "sampling.probabilty" in done.stderr
    assert "did you mean probability?" in done.stderr
    assert "broker: write folder:PATH" in done.stderr


@pytest.mark.service
@pytest.mark.parametrize("command", ["score", "watch"])
def test_a_half_that_is_told_to_stop_leaves_with_success(tmp_path: Path, command: str) -> None:
    topic = tmp_path / "log" / "rag.traces"
    topic.mkdir(parents=True)
    (topic / "0.jsonl").write_text(rows(GOOD))
    half = subprocess.Popen(  # noqa: S603 - our own command
        [STREAMGAUGE, command, "--broker", "folder:log"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert half.stderr is not None
        assert any('"running"' in line for line in iter(half.stderr.readline, ""))

        half.send_signal(signal.SIGTERM)
        started = time.monotonic()

        assert half.wait(timeout=20) == 0
        assert time.monotonic() - started < 15
    finally:
        half.kill()
        half.communicate()


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
def test_a_second_watch_of_a_folder_is_refused_at_once(tmp_path: Path) -> None:
    alerts = TopicWriter.open(tmp_path / "topics", "rag.alerts")

    done = subprocess.run(  # noqa: S603 - our own command
        [STREAMGAUGE, "watch", "--broker", f"folder:{tmp_path / 'topics'}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    alerts.close()
    assert done.returncode == 1
    assert "topic rag.alerts is in use by process" in done.stderr
