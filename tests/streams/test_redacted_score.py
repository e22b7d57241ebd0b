"""Values that an operator wants hidden: followed from every field of a row to every way out."""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from streams.commands.scoring import score
from streams.settings.load import load
from streams.wiring.broker import Wiring
from tests.judge_server import Heard, JudgeServer, Play, completion, reply

EMAIL, PHONE, IBAN = "anna.berg@museum.example", "+49 30 1234567", "DE89 3704 0044 0532 0130 00"
CARD, CUSTOMER = "4111 1111 1111 1111", "KD-123456"
NUMBER = CARD.replace(" ", "")
ALL = f"{EMAIL}, {PHONE}, {IBAN}, {CARD}, {CUSTOMER}"
SECRETS = [
    EMAIL,
    EMAIL.upper(),
    PHONE,
    IBAN,
    CARD,
    CUSTOMER,
    *(value.replace(" ", "") for value in (PHONE, IBAN, CARD)),
]
ROW: dict[str, Any] = {
    "trace_id": "t-1",
    "service": "museum",
    "session_id": EMAIL,
    "question": f"How do I reach {ALL}?",
    "history": [{"role": "user", "text": f"I am {ALL}."}],
    "contexts": [
        {"key": "1", "text": f"The desk answers at {EMAIL}. Ring {PHONE} for tours."},
        {"key": CUSTOMER, "text": f"Transfers go to {IBAN}, and cards like {CARD} are taken."},
    ],
    "answer": f"The desk answers at {EMAIL.upper()} [1]. Transfers go to {IBAN} now. [{CUSTOMER}]",
    "citations": {"1": f"The desk answers at {EMAIL}.", CUSTOMER: f"Transfers go to {IBAN}."},
    "tool_results": [{EMAIL: [PHONE, int(NUMBER), float(NUMBER), {"id": CUSTOMER}]}],
    "reference": f"Write to {EMAIL}, ring {PHONE} or transfer to {IBAN}. It has 7 desks.",
    "attributes": {"user": EMAIL, EMAIL: "user", "prompt_version": "v7"},
}
PATTERNS = "[email, phone, iban, card, 'KD-[0-9]{6}']"
TWO_SCORERS = "scorers: {faithfulness: {}, citation_accuracy: {}}\nalerts: []\n"
EVERY_SCORER = """
scorers:
  faithfulness: {claims: judge, all_evidence: true, evidence: [contexts, tool_results, history],
    keep_prompts: true}
  faithfulness_binary: {}
  citation_accuracy: {}
  factual_accuracy: {contradiction_check: true}
  factual_consistency: {responses_per_query: 2}
criteria: [{name: tone, question: "Is it polite?", answers: {"yes": good, "no": bad}}]
alerts: []
"""


def told(heard: Heard) -> str:
    """Answer whatever is asked, with every value in every text: a judge may write anything."""
    verdicts = [{"id": n, "reason": ALL, "quote": ALL, "verdict": "no"} for n in heard.claims]
    graded = {"claim_text": "The desk answers", "verdict": "contradicted", "explanation": ALL}
    said: dict[str, object] = {
        **{"reason": ALL, "explanation": ALL, "evidence": ALL, "quote": ALL, "source": CUSTOMER},
        **{"claims": [ALL, "The desk answers."], "verdicts": verdicts, "verdict": "no"},
        **{"statements": [ALL], "statement_scores": [0], "supported": False, "support": 0.1},
        **{"label": "Contradictory", "score": 0.1, "answer": "no", "agrees": True},
        **{"contradicts": True, "confidence": 0.99, "claim_verifications": [graded]},
        **{
            "factual_accuracy_score": 1,
            "score_justification": f"claim 1: {ALL}",
            "verdict_summary": ALL,
        },
    }
    return completion(said)


def decided(heard: Heard) -> str:
    """Answer a decisions request with probabilities that decide."""
    answers: dict[str, object] = {}
    for name, asked in heard.body["questions"].items():
        first, *others = asked.get("criteria", ["yes", "no"])
        shares = {first: 0.9, **dict.fromkeys(others, 0.1 / len(others))}
        answers[name] = {"choice": first, "probabilities": shares, "noul": 0.9, "reason": ALL}
    return json.dumps({"model": "jev-1", "answers": answers})


def echo(heard: Heard) -> bytes:
    return heard.raw + ALL.encode()


WAYS: dict[str, Callable[[Heard], Play]] = {
    "an answer to all": lambda heard: reply(told(heard)),
    "a refusal that echoes": lambda heard: reply(echo(heard), 400),
    "a failure that echoes": lambda heard: reply(echo(heard), 422),
    "no JSON": lambda heard: reply(echo(heard)),
    "a completion of no JSON": lambda heard: reply(completion(ALL + heard.user)),
    "a cut completion": lambda heard: reply(completion('{"reason": "' + ALL, finish="length")),
    "another shape": lambda heard: reply(completion({"verdicts": [{"verdict": ALL, "id": ALL}]})),
}


def ask(heard: Heard) -> Play:
    """Answer as the assistant does that is asked again."""
    return reply(json.dumps({"said": ALL}))


def chat(server: JudgeServer) -> str:
    """Return the settings of a chat judge, and of the model that gives reasons."""
    at = f"url: '{server.url}'"
    return f"kind: chat, chat: {{{at}, model: m, n_judge_retries: 1}}, reasons: {{{at}, model: r}}"


async def run(
    tmp_path: Path, server: JudgeServer, judge: str, scorers: str, *, patterns: str = PATTERNS
) -> list[Any]:
    """Score the row from a folder to a folder; return the events."""
    topic = tmp_path / "log" / "rag.traces"
    topic.mkdir(parents=True)
    (topic / "0.jsonl").write_text(json.dumps(ROW) + "\n" + json.dumps(ROW)[:-9] + "\n")
    asked_again = server.url.replace("/v1", "/ask")
    (tmp_path / "streamgauge.yaml").write_text(
        f"judge: {{allow_private_addresses: true, redact: {patterns}, {judge}}}\n{scorers}"
        f"sampling: {{probability: 1}}\nbroker: 'folder:{tmp_path / 'log'}'\n"
        "scores: {text: full}\n"
        f"assistants: {{museum/production: {{url: '{asked_again}', body: {{q: '{{query}}'}},"
        " answer: said}}\n"
    )
    await score(Wiring(load(tmp_path / "streamgauge.yaml", {})), once=True)
    lines = (tmp_path / "log" / "rag.scores" / "0.jsonl").read_text().splitlines()
    values = [json.loads(line)["value"] for line in lines]
    return [value for value in values if value["kind"] == "score"]


def leaks(raw: bytes) -> list[str]:
    """Return the values that stand in JSON, as it is written and as it is meant."""
    text = raw.decode()
    read = json.dumps(json.loads(text), ensure_ascii=False)
    return [secret for secret in SECRETS if secret in text or secret in read]


def assert_nothing_left(tmp_path: Path, server: JudgeServer, logged: str) -> None:
    """Look at all that was posted to judges, written to topics and logged, byte by byte."""
    for heard in server.heard:
        if heard.path != "/ask":
            assert not leaks(heard.raw)
            assert not [secret for secret in SECRETS if secret in str(heard.headers)]
    written = [f for f in (tmp_path / "log").rglob("*") if f.is_file()]
    ours = [f for f in written if f.parent.name not in ("rag.traces", "rag.dead")]
    assert {f.parent.name for f in ours} >= {"rag.scores", "rag.marks"}
    assert not [secret for file in ours for secret in SECRETS if secret in file.read_text()]
    dead = (tmp_path / "log" / "rag.dead" / "0.jsonl").read_text().splitlines()
    assert not leaks(json.dumps([json.loads(one)["headers"] for one in dead]).encode())
    assert not [secret for secret in SECRETS if secret in logged]


LATER = pytest.mark.service
"""One way of each kind is enough for the quick tests."""


@pytest.mark.parametrize(
    "way", ["an answer to all", *(pytest.param(way, marks=LATER) for way in [*WAYS][1:])]
)
async def test_no_value_leaves_by_a_chat_judge_whatever_it_answers(
    way: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)

    def play(heard: Heard) -> Play:
        return ask(heard) if heard.path == "/ask" else WAYS[way](heard)

    async with JudgeServer(play) as server:
        events = await run(tmp_path, server, chat(server), EVERY_SCORER)

    out, err = capfd.readouterr()
    assert len(events) == 6
    assert {event["outcome"]["status"] == "scored" for event in events} == {
        way == "an answer to all"
    }
    assert {event["redacted"]["iban"] for event in events} == {6}
    assert_nothing_left(tmp_path, server, out + err + caplog.text)
    [asked] = [heard for heard in server.heard if heard.path == "/ask"]
    assert EMAIL in asked.raw.decode()  # the system under test is asked what its user asked


@pytest.mark.parametrize(
    ("kind", "way"),
    [
        ("decisions", "an answer"),
        ("cascade", "an answer"),
        pytest.param("decisions", "a refusal that echoes", marks=LATER),
        pytest.param("cascade", "no JSON", marks=LATER),
    ],
)
async def test_no_value_leaves_by_a_decision_model_alone_or_in_a_cascade(
    kind: str,
    way: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)

    def play(heard: Heard) -> Play:
        if heard.path.endswith("/chat/completions"):
            return reply(told(heard))
        return reply(decided(heard)) if way == "an answer" else WAYS[way](heard)

    async with JudgeServer(play) as server:
        at = f"url: '{server.url}', n_judge_retries: 0"
        judge = f"kind: {kind}, decisions: {{{at}, model: jev-1}}, chat: {{{at}, model: m}}"
        events = await run(tmp_path, server, judge, TWO_SCORERS)

    out, err = capfd.readouterr()
    assert {event["outcome"]["status"] == "scored" for event in events} == {way == "an answer"}
    assert len(server.heard) > 0
    assert_nothing_left(tmp_path, server, out + err + caplog.text)


async def test_claims_are_where_the_raw_answer_has_them(tmp_path: Path) -> None:
    async with JudgeServer(lambda heard: reply(told(heard))) as server:
        events = await run(tmp_path, server, chat(server), TWO_SCORERS)

    answer = ROW["answer"]
    [citations] = [event for event in events if event["scorer"]["name"] == "citation_accuracy"]
    rows = citations["outcome"]["breakdown"]["sentence_rows"]
    assert [row["text"] for row in rows] == [
        "The desk answers at [EMAIL_1].",
        "Transfers go to [IBAN_1] now.",
    ]
    assert [answer[row["start"] : row["end"]] for row in rows] == [
        f"The desk answers at {EMAIL.upper()} [1].",
        f"Transfers go to {IBAN} now.",
    ]


async def test_without_patterns_the_same_row_leaves_in_full(tmp_path: Path) -> None:
    async with JudgeServer(lambda heard: reply(told(heard))) as server:
        [event, _] = await run(tmp_path, server, chat(server), TWO_SCORERS, patterns="[]")

    assert event["redacted"] is None
    assert leaks(server.heard[0].raw)
