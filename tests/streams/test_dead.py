"""`streamgauge dead` as its users run it, on a folder log."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from streams.folder.topic import read
from tests import command

pytestmark = pytest.mark.service

PRIVATE = "the patient's name"
NAMELESS = {"trace_id": "t-1", "contexts": ["We open at 10."], "answer": f"At 10. {PRIVATE} [1]"}


def streamgauge(*arguments: str, cwd: Path, code: int = 0) -> "subprocess.CompletedProcess[str]":
    return command.streamgauge(*arguments, "--broker", "folder:.", cwd=cwd, code=code)


def objects(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def score(cwd: Path, *more: str) -> None:
    streamgauge("score", "--once", "--sampling-probability", "1", *more, cwd=cwd)


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder log with three dead letters: two that name no service, and one not JSON."""
    folder = tmp_path_factory.mktemp("log")
    (folder / "rag.traces").mkdir()
    rows = [json.dumps(NAMELESS), "broken", json.dumps(NAMELESS | {"trace_id": "t-2"})]
    (folder / "rag.traces/0.jsonl").write_text("\n".join(rows) + "\n")
    score(folder)
    return folder


@pytest.fixture
def log(scored: Path, tmp_path: Path) -> Path:
    """Return a copy of such a log."""
    return Path(shutil.copytree(scored, tmp_path, dirs_exist_ok=True))


def test_letters_are_counted_by_reason_and_listed_without_their_bytes(log: Path) -> None:
    done = streamgauge("dead", "list", cwd=log)

    *counts, first, second, third = objects(done.stdout)
    assert counts == [
        {"kind": "count", "reason": "no_identity", "waiting": 2, "sent_back": 0},
        {"kind": "count", "reason": "not_json", "waiting": 1, "sent_back": 0},
    ]
    assert [one["origin"] for one in (first, second, third)] == [
        "rag.traces/0/0",
        "rag.traces/0/1",
        "rag.traces/0/2",
    ]
    assert (first["attempts"], first["redrives"]) == (1, 0)
    assert PRIVATE not in done.stdout


def test_filters_and_a_limit_choose_letters(log: Path) -> None:
    def origins(*options: str, code: int = 0) -> list[object]:
        found = objects(streamgauge("dead", "list", *options, cwd=log, code=code).stdout)
        return [one["origin"] for one in found if one["kind"] == "letter"]

    assert origins("--reason", "no_identity") == ["rag.traces/0/0", "rag.traces/0/2"]
    assert origins("--reason", "no_identity", "--limit", "1") == ["rag.traces/0/2"]
    assert len(origins("--assistant", "unknown/unknown", "--since", "2h")) == 3
    assert origins("--assistant", "shop/production", code=3) == []
    assert origins("--since", "2999-01-01T00:00:00Z", code=3) == []


def test_bytes_are_shown_when_asked_for_and_under_a_warning(log: Path) -> None:
    done = streamgauge("dead", "list", "--reason", "not_json", "--payload", cwd=log)

    assert objects(done.stdout)[-1]["payload"] == "broken"
    assert "raw, unredacted data" in done.stderr


def test_a_wrong_time_is_refused(log: Path) -> None:
    done = streamgauge("dead", "list", "--since", "yesterday", cwd=log, code=2)

    assert "--since" in done.stderr


def test_without_yes_nothing_is_sent(log: Path) -> None:
    before = (log / "rag.traces/0.jsonl").read_bytes()

    done = streamgauge("dead", "redrive", cwd=log)

    assert objects(done.stdout)[0] | {"kind": "", "stay": {}} == {
        "kind": "",
        "dry_run": True,
        "chosen": 3,
        "sent": 0,
        "stay": {},
    }
    assert (log / "rag.traces/0.jsonl").read_bytes() == before


def test_letters_whose_cause_was_mended_are_scored_and_go_back_once(log: Path) -> None:
    only = ("--reason", "no_identity")
    streamgauge("dead", "redrive", *only, "--yes", cwd=log)
    again = streamgauge("dead", "redrive", *only, "--yes", cwd=log, code=3)

    score(log, "--assistant", "shop/production")

    assert objects(again.stdout)[0]["sent"] == 0
    events = [json.loads(r.value or b"") for r in read(log, "rag.scores")]
    scored = [one["trace"]["trace_id"] for one in events if one["kind"] == "score"]
    assert sorted(set(scored)) == ["t-1", "t-2"]
    assert len(scored) == 4  # two scorers each


def test_a_row_that_fails_again_comes_back_counted_until_it_stays(log: Path) -> None:
    for _ in range(2):
        streamgauge(
            "dead", "redrive", "--reason", "not_json", "--max-redrives", "2", "--yes", cwd=log
        )
        score(log)

    stays = streamgauge(
        "dead", "redrive", "--reason", "not_json", "--max-redrives", "2", "--yes", cwd=log, code=3
    )

    count, letter = objects(streamgauge("dead", "list", "--reason", "not_json", cwd=log).stdout)
    assert (count["waiting"], count["sent_back"]) == (1, 2)
    assert (letter["attempts"], letter["redrives"]) == (3, 2)
    assert objects(stays.stdout)[0]["stay"] == {"came back as often as --max-redrives says": 1}
    sent = [record for record in read(log, "rag.traces") if record.headers]
    assert [record.value for record in sent] == [b"broken", b"broken"]


def test_a_log_without_dead_letters_says_so(tmp_path: Path) -> None:
    (tmp_path / "rag.traces").mkdir()

    done = streamgauge("dead", "list", cwd=tmp_path, code=3)

    assert done.stdout == ""
