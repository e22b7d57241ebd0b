import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from tenacity.wait import wait_none

from schemas.score import InvalidInput, NotScorable, Outcome, Scored
from schemas.trace import RagTrace, Turn
from scorers.answers import Comparison
from scorers.asking.comparing import Scale, compare
from scorers.assistant import Address, HttpAssistant
from scorers.contract import FreshAnswer, InvalidReplyError, JudgeUnavailableError
from scorers.factual_consistency import FactualConsistency
from scorers.judges.chat import ChatJudge, ChatModel
from scorers.judges.http import HttpClient
from scorers.judges.limited import LimitedJudge, slots
from scorers.judges.retrying import RetryingJudge
from scorers.parameters import ParameterError
from scorers.questions import CompareAnswers
from scorers.templates import Template
from tests.fakes import ScriptedJudge, a_trace, unavailable

QUESTION = compare(CompareAnswers("q", base="a", other="b"), row="r")


@dataclass
class ScriptedAssistant:
    """Gives its answers in order, or raises the errors among them."""

    answers: list[str | Exception]
    asked: list[Sequence[Turn]] = field(default_factory=list)
    temperatures: list[float] = field(default_factory=list)
    cancelled: int = 0

    async def ask(self, messages: Sequence[Turn], *, temperature: float) -> FreshAnswer:
        self.asked.append(messages)
        self.temperatures.append(temperature)
        answer = self.answers.pop(0)
        try:
            await asyncio.sleep(0)
            if answer == "hangs":
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if isinstance(answer, Exception):
            raise answer
        return FreshAnswer(answer)


def says(label: str, score: float) -> dict[str, object]:
    return {"explanation": "e", "label": label, "score": score}


async def outcome(
    judge: ScriptedJudge,
    assistant: ScriptedAssistant | None = None,
    trace: RagTrace | None = None,
    **parameters: Any,
) -> Outcome:
    asked = assistant or ScriptedAssistant(["Paris.", "It is Paris."])
    scorer = FactualConsistency({"helpdesk/production": asked}, **parameters)
    return await scorer.score(trace or a_trace(), judge)


async def scored(judge: ScriptedJudge, **parameters: Any) -> Scored:
    result = await outcome(judge, **parameters)
    assert isinstance(result, Scored)
    return result


async def test_the_score_is_the_mean_and_never_made_of_the_labels() -> None:
    result = await scored(ScriptedJudge([says("Consistent", 1.0), says("Contradictory", 0.4)]))

    assert result.score == pytest.approx(0.7)
    assert result.label == "contradictory"
    assert result.counts == {
        "judged": 2,
        "failed": 0,
        "consistent": 1,
        "slightly_inconsistent": 0,
        "contradictory": 1,
    }


async def test_a_comparison_that_fails_is_left_out_and_counted() -> None:
    result = await scored(ScriptedJudge([unavailable(), says("Consistent", 0.9)]))

    assert (result.score, result.counts["failed"]) == (0.9, 1)
    assert "partial" in result.flags


async def test_comparisons_that_all_fail_are_an_error_and_no_zero() -> None:
    with pytest.raises(JudgeUnavailableError) as failed:
        await outcome(ScriptedJudge([unavailable(), unavailable("http_503")]))

    assert failed.value.error.kind == "all_comparisons_failed"


async def test_a_fresh_answer_that_cannot_be_had_ends_the_row_and_the_other_calls() -> None:
    assistant = ScriptedAssistant([unavailable("http_503"), "hangs"])

    with pytest.raises(JudgeUnavailableError):
        await outcome(ScriptedJudge([]), assistant)

    assert assistant.cancelled == 1


async def test_equal_answers_are_samples_of_their_own() -> None:
    judge = ScriptedJudge([says("Consistent", 1.0), says("Consistent", 0.8)])

    result = await scored(judge, assistant=ScriptedAssistant(["Paris.", "Paris."]))

    assert result.breakdown["scores"] == [1.0, 0.8]


async def test_only_the_last_turn_is_put_another_way() -> None:
    assistant = ScriptedAssistant(["Paris.", "Paris."])
    said = (Turn(role="user", text="Hello."), Turn(role="assistant", text="Good day."))
    trace = a_trace().model_copy(update={"history": said})

    await outcome(ScriptedJudge([says("Consistent", 1)] * 2), assistant, trace)

    first, second = assistant.asked
    assert first == second
    assert tuple(first[:2]) == said
    assert "What is the capital of France?" in first[2].text
    assert assistant.temperatures == [0.7, 0.7]


async def test_a_row_gets_the_same_frame_whenever_it_is_judged() -> None:
    frames = [
        (await scored(ScriptedJudge([says("Consistent", 1)] * 2))).breakdown["template"]
        for _ in range(2)
    ]

    assert frames[0] == frames[1]


async def test_an_assistant_that_is_not_listed_is_never_asked() -> None:
    result = await FactualConsistency().score(a_trace(), ScriptedJudge([]))

    assert result == NotScorable(reason="assistant_not_listed")


@pytest.mark.parametrize(
    ("update", "reason"),
    [
        ({"question": " "}, "blank_question"),
        ({"answer": "\n"}, "blank_answer"),
        ({"trace_id": " "}, "blank_id"),
        ({"answer": None}, "missing_answer"),
    ],
)
async def test_what_cannot_be_asked_again_is_invalid_before_any_call(
    update: dict[str, object], reason: str
) -> None:
    assistant = ScriptedAssistant([])

    result = await outcome(ScriptedJudge([]), assistant, a_trace().model_copy(update=update))

    assert result == InvalidInput(reason=reason)
    assert assistant.asked == []


@pytest.mark.parametrize(
    ("label", "score", "flagged"),
    [("Consistent", 0.1, True), ("Contradictory", 0.9, True), ("Contradictory", 0.4, False)],
)
async def test_a_label_against_its_score_is_told_and_changes_neither(
    label: str, score: float, flagged: bool
) -> None:
    judge = ScriptedJudge([says(label, score)])

    result = await scored(judge, assistant=ScriptedAssistant(["x"]), responses_per_query=2)

    assert result.score == score
    assert ("label_mismatch" in result.flags) is flagged


@pytest.mark.parametrize(
    "label",
    [
        "Slightly Inconsistent",
        "slightly_inconsistent",
        " SLIGHTLY-inconsistent",
        "slightlyinconsistent",
    ],
)
def test_labels_are_known_by_their_letters(label: str) -> None:
    assert QUESTION.read(says(label, 0.5)).label == "slightly_inconsistent"


@pytest.mark.parametrize(
    "reply",
    [
        says("Mostly fine", 0.8),
        says("inconsistent", 0.8),
        says("Consistent", 1.4),
        says("Consistent", True),
        {"label": "Consistent", "score": "0.9"},
        {"label": "Consistent"},
        {"score": 0.9},
        {"label": None, "score": 0.9},
    ],
)
def test_a_label_or_score_outside_what_was_asked_for_is_refused(reply: dict[str, object]) -> None:
    with pytest.raises(InvalidReplyError):
        QUESTION.read(reply)


async def test_a_judge_that_can_tell_nothing_makes_the_row_undecided() -> None:
    result = await outcome(ScriptedJudge([Comparison(None, 0.5), Comparison(None, None)]))

    assert isinstance(result, NotScorable)
    assert result.reason == "undecided"


@pytest.mark.parametrize(
    ("scale", "normalized"),
    [
        (Scale(), 0.4),
        (Scale(inverted=True), 0.6),
        (Scale(0, 2), 0.2),
        (Scale(0.5, 1), 0.0),
    ],
)
def test_the_scale_says_where_a_score_lies(scale: Scale, normalized: float) -> None:
    assert scale.normalized(0.4) == pytest.approx(normalized)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("responses_per_query", 1),
        ("responses_per_query", 9),
        ("responses_per_query", 2.5),
        ("sut_temperature", -0.1),
        ("sut_temperature", 2.1),
        ("min", 1.0),
        ("max", float("nan")),
        ("weight", 0),
        ("pass_at", -1),
        ("templates", ()),
    ],
)
def test_a_parameter_out_of_its_bounds_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(ParameterError) as refused:
        FactualConsistency(**{name: value})  # type: ignore[arg-type]

    assert refused.value.name == name


def test_what_only_shows_the_figure_judges_nothing_again() -> None:
    plain = FactualConsistency()

    assert (
        FactualConsistency(weight=3, metric_name="stable", pass_at=0.1).settings == plain.settings
    )
    assert FactualConsistency(templates=(Template("x-1", "{query}"),)).settings != plain.settings


@pytest.mark.parametrize(("pass_at", "bad"), [(0.6, True), (0.5, False)])
async def test_a_low_agreement_is_bad(pass_at: float, bad: bool) -> None:
    judge = ScriptedJudge([says("Consistent", 0.5)] * 2)

    assert FactualConsistency(pass_at=pass_at).bad(await scored(judge)) is bad


async def test_calls_to_assistant_and_judge_share_the_slots_over_all_rows() -> None:
    now, most, calls = 0, 0, 0

    async def reply(request: httpx.Request) -> httpx.Response:
        nonlocal now, most, calls
        now, calls = now + 1, calls + 1
        most = max(most, now)
        await asyncio.sleep(0)
        now -= 1
        if calls % 5 == 0:
            return httpx.Response(503)
        content = '{"explanation": "e", "label": "Consistent", "score": 1}'
        return httpx.Response(
            200, json={"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}
        )

    client = HttpClient(timeout_seconds=5, transport=httpx.MockTransport(reply))
    limit = slots(3)
    assistant = HttpAssistant(
        Address("http://assistant.invalid"), client, limit, retries=5, back_off=wait_none()
    )
    chat = ChatJudge(ChatModel("http://judge.invalid", "m"), client)
    judge = RetryingJudge(LimitedJudge(chat, limit), retries=5, back_off=wait_none())
    scorer = FactualConsistency({"helpdesk/production": assistant}, responses_per_query=4)

    rows = (scorer.score(a_trace(id=f"row-{n}"), judge) for n in range(8))
    results = await asyncio.gather(*rows)

    assert {result.status for result in results} == {"scored"}
    assert most == 3
