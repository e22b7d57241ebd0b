"""What people bring, as processes: the page's example, a criterion from row to alert, reasons."""

import asyncio
import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from schemas.score import Failed, Scored, ScoreEvent
from schemas.wire import rfc3339
from tests.command import STREAMGAUGE
from tests.judge_server import Heard, JudgeServer, Play, completion, reply
from tests.scorers.plugin import POLITE, install

pytestmark = pytest.mark.service

PAGE = (Path(__file__).parents[2] / "docs" / "scorers.md").read_text(encoding="utf-8")
KEY = "sk-a-key-that-must-not-show"
TONE = 'criteria: [{name: tone, question: "Polite?", answers: {"yes": good, "no": bad}}]\n'


async def streamgauge(*arguments: str, cwd: Path, code: int = 0) -> tuple[str, str]:
    """Run a command where `cwd` is on Python's path; return what it said and what it logged."""
    process = await asyncio.create_subprocess_exec(
        STREAMGAUGE,
        *arguments,
        cwd=cwd,
        env={"STREAMGAUGE_CHAT_KEY": KEY, "PYTHONPATH": str(cwd), "PATH": ""},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == code, err.decode()
    assert KEY not in (out + err).decode()
    return out.decode(), err.decode()


async def score(folder: Path, *, code: int = 0) -> list[ScoreEvent]:
    out, _ = await streamgauge("score", "rows.jsonl", "--json", cwd=folder, code=code)
    return [ScoreEvent.model_validate_json(line) for line in out.splitlines()]


def a_row(
    n: int, answer: str = "The museum opens at 9 am on weekdays.", **more: str
) -> dict[str, object]:
    context = "The museum opens at 9 am on weekdays, and on Sundays at 11 am."
    return {
        "trace_id": f"t-{n}",
        "service": "museum",
        "question": "When does it open?",
        "contexts": [context],
        "answer": answer,
        **more,
    }


def lay(folder: Path, settings: str, rows: Iterable[dict[str, object]] = (a_row(1),)) -> None:
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "streamgauge.yaml").write_text(settings)


def on_the_page(language: str) -> str:
    """Return the last example of a language on the page about scorers."""
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return found[-1]


def example(folder: Path) -> None:
    """Install the page's scorer."""
    offers = re.findall(r'^concise = "(.*)"$', on_the_page("toml"), re.MULTILINE)
    install(folder, on_the_page("python"), name="acme_concise", offers=f"concise = {offers[0]}")


async def test_the_scorer_on_the_page_judges_a_file(tmp_path: Path) -> None:
    example(tmp_path)
    rows = [a_row(n, "word " * n) for n in (80, 81)]
    settings = on_the_page("yaml").replace("0.2}}", "1}, faithfulness: null}")
    lay(tmp_path, f"{settings}alerts: []\n", rows)

    events = await score(tmp_path)

    told = {e.trace.trace_id: e.outcome for e in events if e.scorer.name == "concise"}
    assert [getattr(told[f"t-{n}"], "bad", None) for n in (80, 81)] == [False, True]


async def test_a_scorer_that_breaks_at_import_stops_the_start_by_its_name(tmp_path: Path) -> None:
    install(tmp_path, "raise SystemExit(0)")
    lay(tmp_path, "scorers: {polite: {}}\n")

    _, logged = await streamgauge("score", "rows.jsonl", cwd=tmp_path, code=2)

    assert logged.startswith("scorers.polite: acme-polite cannot be loaded: SystemExit")
    assert "Traceback" not in logged


async def test_a_scorer_that_breaks_on_a_row_costs_that_verdict_alone(tmp_path: Path) -> None:
    install(tmp_path, POLITE.replace("about = ", "about = 1 / 0; "))
    lay(tmp_path, "scorers: {polite: {}, citation_accuracy: null}\n")

    events = await score(tmp_path, code=3)

    outcomes = {event.scorer.name: event.outcome for event in events}
    failed = outcomes["polite"]
    assert isinstance(failed, Failed)
    assert (failed.error.kind, failed.error.cause) == ("scorer_failed", "ZeroDivisionError")
    assert isinstance(outcomes["faithfulness"], Scored)


def at(server: JudgeServer, kind: str = "chat", more: str = "") -> str:
    """Return the settings of a judge on this server."""
    one = f"{{url: '{server.url}', model: judge-1}}"
    return f"judge: {{kind: {kind}, allow_private_addresses: true, {kind}: {one}{more}}}\n"


def strict(heard: Heard) -> Play:
    """Find rude what holds the word; explain it; refuse to say anything else."""
    if heard.step == "why":
        return reply(completion({"reason": "It calls the reader a fool.", "agrees": True}))
    rude = "fool" in heard.user.split("answer>>")[1]
    return reply(completion({"reason": "so", "answer": "no" if rude else "yes"}))


async def test_a_criterion_goes_from_rows_to_an_alert_and_is_shown(tmp_path: Path) -> None:
    began = datetime.now(UTC) - timedelta(hours=2)
    rows = [
        a_row(n, "At nine, you fool.", answered_at=rfc3339(began + timedelta(minutes=n)))
        for n in range(40)
    ]
    rule = "{name: rude, kind: threshold, scorer: tone, above: 0.1, window: 1h, min_n: 30}"
    log = tmp_path / "log" / "rag.traces"
    log.mkdir(parents=True)
    async with JudgeServer(strict) as server:
        reasons = f", reasons: {{url: '{server.url}', model: other}}"
        lay(
            tmp_path,
            f"broker: folder:log\n{TONE}{at(server, more=reasons)}"
            "scorers: {faithfulness: null, citation_accuracy: null}\n"
            f"sampling: {{probability: 1}}\nalerts: [{rule}]\n",
            rows,
        )
        (tmp_path / "rows.jsonl").rename(log / "0.jsonl")

        await streamgauge("score", "--once", cwd=tmp_path)
        await streamgauge("watch", "--once", cwd=tmp_path)
        said, _ = await streamgauge("show", "last-alert", cwd=tmp_path)

    assert "tone by chat: BAD, score 0.00, no" in said
    assert "reason: It calls the reader a fool." in said
    assert "no: Polite?" in said
    assert {heard.headers["authorization"] for heard in server.heard} == {f"Bearer {KEY}"}


def told(heard: Heard) -> Play:
    """Answer a decisions request: the last option is likely."""
    [question] = heard.body["questions"].values()
    *others, last = question["criteria"]
    p = {**dict.fromkeys(others, 0.0), last: 1.0}
    answers = {"c0": {"choice": last, "probabilities": p}}
    return reply(json.dumps({"model": "judge-1", "answers": answers}))


async def test_a_criterion_is_asked_of_a_decision_model(tmp_path: Path) -> None:
    async with JudgeServer(told) as server:
        lay(
            tmp_path,
            f"{TONE}{at(server, 'decisions')}"
            "scorers: {faithfulness: null, citation_accuracy: null}\nalerts: []\n",
        )
        [event] = await score(tmp_path)

    assert isinstance(event.outcome, Scored)
    assert (event.outcome.label, event.outcome.bad, event.outcome.support) == ("no", True, 0.0)


async def test_reasons_are_asked_for_beside_a_judge_that_needs_no_model(tmp_path: Path) -> None:
    async with JudgeServer(strict) as server:
        judge = f"reasons: {{url: '{server.url}', model: other}}"
        lay(
            tmp_path,
            f"judge: {{kind: rules, allow_private_addresses: true, {judge}}}\n"
            "scorers: {citation_accuracy: null}\n",
            [a_row(1), a_row(2, "The museum opens at 7 am on weekdays.")],
        )
        good, bad = sorted(await score(tmp_path), key=lambda event: event.trace.trace_id)

    assert (good.usage.input_tokens, getattr(good.outcome, "reason", "")) == (0, None)
    assert bad.usage.input_tokens == 100
    assert getattr(bad.outcome, "reason", None) == "It calls the reader a fool."
    assert bad.config_hash == bad.series == good.series
    assert [heard.step for heard in server.heard] == ["why"]
