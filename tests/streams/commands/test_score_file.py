"""`streamgauge score FILE`: one file or pipe, scored on the spot."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from schemas.score import ScoreEvent
from tests.command import STREAMGAUGE, streamgauge
from tests.streams.commands.traces import BAD, GOOD, rows


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

    def test_says_nothing_when_whoever_reads_it_has_had_enough(self, tmp_path: Path) -> None:
        many = [GOOD | {"trace_id": f"t-{n}"} for n in range(2_000)]
        (tmp_path / "rows.jsonl").write_text(rows(*many))

        command = f"{STREAMGAUGE} score rows.jsonl | head -n 1"
        done = subprocess.run(  # noqa: S602 - a pipeline of our own
            command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True
        )

        assert ScoreEvent.model_validate_json(done.stdout)
        assert "roken" not in done.stderr
        assert "Traceback" not in done.stderr
