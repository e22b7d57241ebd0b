import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

import pytest

from scorers.answers import Comparison
from scorers.asking.comparing import compare
from scorers.asking.verdicts import verify
from scorers.contract import (
    ONE_CALL,
    Answer,
    JudgeIdentity,
    Judgement,
    JudgeUnavailableError,
    Statement,
    Verdict,
)
from scorers.faithfulness_binary import statements
from scorers.judges.cascade import A, CascadeJudge, Stage
from scorers.judges.cross_checked import CrossCheckedJudge
from scorers.questions import (
    CompareAnswers,
    Evidence,
    Question,
    ScoreStatements,
    Subject,
    VerifyClaims,
)
from tests.fakes import unavailable


@dataclass
class Voice:
    """Answers by a table of claims, undecided for the rest; None: it cannot be had."""

    name: str
    says: dict[str, Verdict] | None = field(default_factory=dict)
    model: str | None = None
    resolved: str | None = None
    other: object = None
    asked: list[Subject] = field(default_factory=list)

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(self.name, "1", self.model)

    async def ask(self, question: Question[A]) -> Answer[A]:
        self.asked.append(question.about)
        await asyncio.sleep(0)
        if self.says is None:
            raise unavailable()
        value = self.other
        if isinstance(question.about, VerifyClaims):
            value = tuple(self._judged(claim) for claim in question.about.claims)
        return Answer(cast("A", value), ONE_CALL, self.resolved)

    def _judged(self, claim: str) -> Judgement:
        verdict = (self.says or {}).get(claim, "undecided")
        return Judgement(verdict, flags=(f"{self.name}_saw",))


def about(*claims: str) -> Question[tuple[Judgement, ...]]:
    return verify(VerifyClaims(claims, (Evidence("1", "text"),)), row="r")


async def test_each_stage_is_asked_only_what_the_one_before_left_undecided() -> None:
    rules = Voice("rules", {"a": "yes"})
    decisions = Voice("decisions", {"b": "no"})
    chat = Voice("chat", {"c": "unsure"})
    judge = CascadeJudge([Stage(rules), Stage(decisions), Stage(chat)])

    answer = await judge.ask(about("a", "b", "c", "d"))

    asked = [voice.asked[0] for voice in (rules, decisions, chat)]
    assert [one.claims for one in asked if isinstance(one, VerifyClaims)] == [
        ("a", "b", "c", "d"),
        ("b", "c", "d"),
        ("c", "d"),
    ]
    last = asked[-1]
    assert isinstance(last, VerifyClaims)
    assert last.numbers == (3, 4)
    assert [(one.verdict, one.decided_by) for one in answer.value] == [
        ("yes", "rules"),
        ("no", "decisions"),
        ("unsure", "chat"),
        ("undecided", ""),
    ]
    assert [one.escalated for one in answer.value] == [
        (),
        ("decisions",),
        ("decisions", "chat"),
        ("decisions", "chat"),
    ]
    assert answer.value[1].flags == ("rules_saw", "decisions_saw")
    assert answer.usage.calls == 3


async def test_what_the_first_can_tell_costs_the_others_nothing() -> None:
    chat = Voice("chat")

    await CascadeJudge([Stage(Voice("rules", {"a": "yes"})), Stage(chat)]).ask(about("a"))

    assert chat.asked == []


async def test_a_stage_that_fails_is_the_rows_error_with_what_was_spent() -> None:
    judge = CascadeJudge([Stage(Voice("rules")), Stage(Voice("chat", None))])

    with pytest.raises(JudgeUnavailableError) as failed:
        await judge.ask(about("a"))

    assert failed.value.error.cause == "timeout"
    assert failed.value.usage.calls == 1


async def test_a_stage_that_cannot_answer_a_subject_is_passed_over() -> None:
    says = Comparison("consistent", 0.9)
    rules, chat = Voice("rules"), Voice("chat", other=says)
    judge = CascadeJudge([Stage(rules, lambda _: False), Stage(chat)])

    answer = await judge.ask(compare(CompareAnswers("q", "a", "b"), row="r"))

    assert answer.value == says
    assert rules.asked == []


async def test_a_subject_that_no_stage_can_answer_is_no_failure_of_theirs() -> None:
    with pytest.raises(JudgeUnavailableError) as failed:
        await CascadeJudge([Stage(Voice("rules"), lambda _: False)]).ask(about("a"))

    assert failed.value.error.cause == "unsupported_question"


async def test_only_the_statements_that_are_undecided_go_on() -> None:
    def said(**verdicts: Verdict) -> tuple[Statement, ...]:
        return tuple(Statement(text, Judgement(verdict)) for text, verdict in verdicts.items())

    first = Voice("decisions", other=said(A="yes", B="undecided"))
    second = Voice("chat", other=said(B="unsure"))
    asked = statements(ScoreStatements("A B", (), "q"), row="r")

    answer = await CascadeJudge([Stage(first), Stage(second)]).ask(asked)

    [rest] = second.asked
    assert isinstance(rest, ScoreStatements)
    assert rest.answer == "B"
    assert [(one.text, one.judgement.verdict) for one in answer.value] == [
        ("A", "yes"),
        ("B", "unsure"),
    ]


async def test_easy_and_hard_rows_name_the_same_models() -> None:
    chat = Voice("chat", {"b": "no"}, model="m", resolved="m-7")
    judge = CascadeJudge([Stage(Voice("rules", {"a": "yes"})), Stage(chat)])

    easy, hard = await judge.ask(about("a")), await judge.ask(about("b"))

    assert (easy.resolved, hard.resolved) == ("m-7", "m-7")
    assert len(chat.asked) == 2, "one of them a trifle, for nobody had asked it before"
    assert (judge.identity.name, judge.identity.model) == ("rules+chat", "m")


@pytest.mark.parametrize("resolved", ["m-7", None])
async def test_one_row_asks_for_the_model_on_behalf_of_all_and_bears_the_cost(
    resolved: str | None,
) -> None:
    chat = Voice("chat", model="m", resolved=resolved)
    judge = CascadeJudge([Stage(Voice("rules", {"a": "yes"})), Stage(chat)])

    answers = await asyncio.gather(*(judge.ask(about("a")) for _ in range(5)))

    assert len(chat.asked) == 1
    assert {answer.resolved for answer in answers} == {resolved}
    assert sum(answer.usage.calls for answer in answers) == 5 + 1


SAID: list[tuple[Callable[[], Judgement], tuple[str, ...]]] = [
    (lambda: Judgement("unsure", support=0.5, flags=("number",)), ("against_rules",)),
    (lambda: Judgement("undecided", support=0.1), ("against_rules",)),
    (lambda: Judgement("undecided", support=0.5), ()),
]


@pytest.mark.parametrize(("rule", "flags"), SAID)
async def test_a_yes_that_the_rules_find_nothing_of_is_flagged_and_stands(
    rule: Callable[[], Judgement], flags: tuple[str, ...]
) -> None:
    class Rules(Voice):
        def _judged(self, claim: str) -> Judgement:
            return rule()

    class Model(Voice):
        def _judged(self, claim: str) -> Judgement:
            return Judgement("yes" if claim == "a" else "no")

    judged = (await CrossCheckedJudge(Model("chat"), Rules("rules")).ask(about("a", "b"))).value

    assert [(one.verdict, one.flags) for one in judged] == [("yes", flags), ("no", ())]
