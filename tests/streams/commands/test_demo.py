"""`streamgauge demo`, and what other commands make of what it leaves."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from streams.folder.topic import read
from tests.command import streamgauge


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
def test_the_demo_overwrites_nothing_but_a_demo(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("ten years of work")

    done = streamgauge("demo", "--folder", "mine", cwd=tmp_path, code=2)

    assert "--folder mine: in use" in done.stderr
    assert (tmp_path / "mine" / "thesis.txt").exists()
