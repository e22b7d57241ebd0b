"""`streamgauge score FILE` with judges that nobody scripted: the protocol, and never a verdict."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from schemas.score import Failed, NotScorable, Scored, ScoreEvent, ScoringError
from scorers.citation_accuracy import CitationAccuracy
from scorers.judges.chat import ChatJudge, ChatModel
from scorers.judges.http import HttpClient
from streams.scoring.panel import Judged, Seat
from tests.command import STREAMGAUGE
from tests.fakes import a_trace
from tests.models.endpoint import MODEL, UNIT, Endpoint, serving
from tests.models.weights import deciding

pytestmark = [pytest.mark.service, pytest.mark.timeout(600)]

ROW = {
    "trace_id": "t-1",
    "service": "museum",
    "question": "When does it open?",
    "contexts": ["The museum opens at nine on weekdays. The cafe opens at ten."],
    "answer": "The museum opens at nine [1]. The cafe opens at eleven [1].",
}
BRIEF = {
    "contexts": ["The museum opens at nine on weekdays."],
    "answer": "The museum opens at nine [1].",
}
PATIENT = "allow_private_addresses: true, row_deadline: 500s"
QUIET = "watch: {lateness: 500s}\nalerts: []\n"


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return deciding(tmp_path_factory.mktemp("model") / "decisions.gguf")


@pytest.fixture(scope="module")
def model(weights: Path) -> Iterator[Endpoint]:
    with serving(weights, context=4096, log=weights.with_name("server.log")) as endpoint:
        yield endpoint


def score(folder: Path, settings: str, *rows: Mapping[str, object]) -> list[ScoreEvent]:
    """Run the command on rows; whatever came of them, return its events."""
    (folder / "streamgauge.yaml").write_text(settings)
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = subprocess.run(  # noqa: S603 - our own command
        [STREAMGAUGE, "score", "rows.jsonl", "--json"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=590,
    )
    assert done.returncode in (0, 3), done.stderr
    return [ScoreEvent.model_validate_json(line) for line in done.stdout.splitlines()]


def chat(endpoint: Endpoint, scorers: str) -> str:
    return (
        f"judge: {{kind: chat, {PATIENT}, chat: {{url: '{endpoint.url}', model: asked, "
        f"in_flight: 1, timeout: 250s, n_judge_retries: 1}}}}\n"
        f"scorers: {{{scorers}}}\n{QUIET}"
    )


def decisions(endpoint: Endpoint, scorers: str) -> str:
    return (
        f"judge: {{kind: decisions, {PATIENT}, decisions: {{url: '{endpoint.url}', model: asked, "
        f"in_flight: 1, timeout: 250s, n_judge_retries: 0}}}}\n"
        f"scorers: {{{scorers}}}\n{QUIET}"
    )


KNOWN = {
    "chat": {"invalid_output", "truncated", "empty_response", "timeout"},
    "decisions": {"invalid_output", "truncated", "timeout"},
}
"""What a working endpoint may do to a call: everything else would be a fault of ours."""


def sound(event: ScoreEvent) -> list[dict[str, object]]:
    """Check what holds whatever the model says; return the claims that it judged."""
    usage, outcome = event.usage, event.outcome
    assert event.judge.model == "asked"
    assert usage.attempts >= usage.calls >= 1
    assert usage.seconds > 0
    if isinstance(outcome, Failed):
        assert outcome.error.cause in KNOWN[event.judge.name]
        return []
    assert event.judge.resolved == MODEL
    assert usage.input_tokens > 50
    assert isinstance(outcome, Scored | NotScorable)
    breakdown = outcome.breakdown or {}
    rows = breakdown.get("claims") or breakdown.get("sentence_rows")
    assert isinstance(rows, list)
    claims = [row for row in rows if isinstance(row, dict)]
    assert {claim["verdict"] for claim in claims} <= {"yes", "no", "unsure", "undecided"}
    return [dict(claim) for claim in claims]


def test_a_chat_model_answers_in_the_schema_and_says_who_it_is_and_what_it_took(
    model: Endpoint, tmp_path: Path
) -> None:
    rows = [ROW | BRIEF | {"trace_id": f"t-{n}"} for n in range(3)]

    events = score(tmp_path, chat(model, "faithfulness: null, citation_accuracy: {}"), *rows)

    judged = {event.trace.trace_id: sound(event) for event in events}
    assert judged.keys() == {"t-0", "t-1", "t-2"}
    assert any(judged.values())
    for event in events:
        if isinstance(event.outcome, Scored):
            assert event.usage.output_tokens > 5
            assert all(claim["decided_by"] == "chat" for claim in judged[event.trace.trace_id])


def test_a_decision_model_tells_the_odds_of_every_claim(model: Endpoint, tmp_path: Path) -> None:
    [event] = score(tmp_path, decisions(model, "faithfulness: {}, citation_accuracy: null"), ROW)

    claims = sound(event)
    assert len(claims) == 2
    for claim in claims:
        odds = claim["probabilities"]
        assert isinstance(odds, dict)
        assert set(odds) == {"supported", "contradicted", "not_stated"}
        assert sum(odds.values()) == pytest.approx(1, abs=1e-3)
        assert (claim["verdict"] == "yes") == (odds["supported"] >= 0.8)
    assert event.usage.attempts == 1


async def test_a_reply_that_has_no_room_left_is_truncated_and_no_score(
    model: Endpoint, weights: Path, tmp_path: Path
) -> None:
    passage = "The museum opens at nine."
    usage = (await judged(model, passage)).usage
    window = -(-(usage.input_tokens + UNIT) // UNIT) * UNIT
    filler = " the" * (window - usage.input_tokens - 8)  # each word is a token

    with serving(weights, context=window, log=tmp_path / "narrow.log") as narrow:
        cut = await judged(narrow, passage + filler)

    assert cut.outcome == Failed(error=ScoringError(kind="judge_failed", cause="truncated"))
    assert cut.usage.attempts == 1
    assert window - 2 <= cut.usage.input_tokens + cut.usage.output_tokens <= window + 1


async def judged(endpoint: Endpoint, passage: str) -> Judged:
    """Ask once whether a passage supports a sentence; the marks in the prompt are always alike."""
    client = HttpClient(timeout_seconds=250, allow_private=True)
    chat = ChatJudge(ChatModel(endpoint.url, "asked"), client, secret=b"the same")
    trace = a_trace("The museum opens at nine. [1]", contexts=[passage])
    try:
        return await Seat(CitationAccuracy(), chat, timedelta(seconds=250)).judged(trace)
    finally:
        await client.close()


def test_a_text_that_the_server_refuses_as_too_long_is_read_in_chunks(
    weights: Path, tmp_path: Path
) -> None:
    long = {"contexts": ["The museum opens at nine. " * 200], "answer": "It opens at nine."}

    with serving(weights, context=4 * UNIT, log=tmp_path / "narrow.log") as narrow:
        settings = decisions(narrow, "faithfulness: {}, citation_accuracy: null")
        [event] = score(tmp_path, settings, ROW | long)

    assert event.usage.attempts > 2
    [claim] = sound(event)
    assert "chunked" in str(claim["flags"])


def test_a_shape_that_the_endpoint_does_not_speak_is_an_error_with_its_status(
    model: Endpoint, tmp_path: Path
) -> None:
    settings = decisions(model, "faithfulness: {}, citation_accuracy: null")
    openai = settings.replace("model: asked", "model: asked, shape: openai")

    [event] = score(tmp_path, openai, ROW)

    assert event.outcome == Failed(error=ScoringError(kind="judge_failed", cause="http_404"))


def test_check_names_the_model_that_answers(model: Endpoint, tmp_path: Path) -> None:
    settings = decisions(model, "faithfulness: {}, citation_accuracy: null")
    (tmp_path / "streamgauge.yaml").write_text(settings)

    said = subprocess.run(  # noqa: S603 - our own command
        [STREAMGAUGE, "check"], cwd=tmp_path, capture_output=True, text=True, check=False
    ).stdout

    assert f"judge decisions: {model.url}/systemone answered in" in said
    assert f"model asked: the reply names {MODEL}" in said


def test_the_servers_process_ends_with_its_context(weights: Path, tmp_path: Path) -> None:
    with serving(weights, context=UNIT, log=tmp_path / "server.log") as endpoint:
        os.kill(endpoint.pid, 0)

    with pytest.raises(ProcessLookupError):
        os.kill(endpoint.pid, 0)
