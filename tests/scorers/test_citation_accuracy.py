import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import pytest

from schemas.identity import config_hash
from schemas.score import InvalidInput, NotScorable, Scored, ScoringError
from schemas.trace import Passage, RagTrace
from scorers.asking.support import support
from scorers.citation_accuracy import CitationAccuracy
from scorers.contract import (
    Answer,
    InvalidReplyError,
    JudgeIdentity,
    Judgement,
    JudgeUnavailableError,
    Verdict,
)
from scorers.judges.rules import RulesJudge
from scorers.parameters import ParameterError
from scorers.questions import Question, SupportSentence
from tests.fakes import a_trace

A = TypeVar("A")
FERRY = ("The ferry carries 240 passengers.", "Adults pay 85 kroner.", "  ")


@dataclass
class SentenceJudge:
    """Scores a sentence by the word in it that `scores` holds, out of ten; else 9."""

    scores: Mapping[str, object] = field(default_factory=dict)
    breaks_on: str | None = None
    asked: list[SupportSentence] = field(default_factory=list)
    finished: list[str] = field(default_factory=list)
    under_way: int = 0
    most: int = 0

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity("chat", "1")

    async def ask(self, question: Question[A]) -> Answer[A]:
        about = question.about
        assert isinstance(about, SupportSentence)
        self.asked.append(about)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0)
        self.under_way -= 1
        if self.breaks_on and self.breaks_on in about.sentence:
            raise JudgeUnavailableError(ScoringError(kind="judge_failed", cause="timeout"))
        await asyncio.sleep(0)
        self.finished.append(about.sentence)
        held = [score for word, score in self.scores.items() if word in about.sentence]
        return Answer(question.read({"reason": "so", "score": held[0] if held else 9}))


@dataclass
class VerdictJudge:
    """Gives one verdict after the other."""

    verdicts: list[Verdict]

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity("rules", "1")

    async def ask(self, question: Question[A]) -> Answer[A]:
        judgement = Judgement(self.verdicts.pop(0), support=0.6, flags=("name",))
        return Answer(judgement)  # type: ignore[arg-type]


async def scored(answer: str, judge: SentenceJudge | None = None, **parameters: object) -> Scored:
    scorer = CitationAccuracy(**parameters)  # type: ignore[arg-type]
    outcome = await scorer.score(a_trace(answer, contexts=FERRY), judge or SentenceJudge())
    assert isinstance(outcome, Scored)
    return outcome.model_copy(update={"bad": scorer.bad(outcome)})


def rows(outcome: Scored | NotScorable) -> Sequence[Mapping[str, object]]:
    assert outcome.breakdown is not None
    found = outcome.breakdown["sentence_rows"]
    assert isinstance(found, list)
    return [row for row in found if isinstance(row, dict)]


async def test_the_score_is_the_harmonic_mean_of_precision_and_recall() -> None:
    outcome = await scored(
        "It carries 240 people [1]. It was painted green [2]. It sails late every day.",
        SentenceJudge({"green": 1}),
    )

    assert outcome.score == pytest.approx(2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3))
    assert outcome.normalized == outcome.score
    assert outcome.label == "unsupported"
    assert outcome.support == 0.1
    assert outcome.counts == {
        "cited": 2, "supported": 1, "eligible": 3, "fabricated_sentences": 0,
        "fabricated_keys": 0, "uncited_sentences": 1, "undecided": 0,
    }  # fmt: skip
    assert outcome.breakdown["citation_precision"] == 0.5
    assert outcome.breakdown["citation_recall"] == pytest.approx(1 / 3)
    assert outcome.breakdown["passed"] is False


async def test_a_row_shows_its_sentence_its_keys_and_who_decided() -> None:
    outcome = await scored("It carries 240 people [1].")

    row = rows(outcome)[0]
    expected = {"text": "It carries 240 people.", "keys": ["1"], "fabricated": False,
                "supported": True, "reason": "so", "support": 0.9, "decided_by": "chat",
                "start": 0, "end": 26}  # fmt: skip
    assert {key: row[key] for key in expected} == expected


async def test_an_invented_source_is_fabricated_without_asking() -> None:
    judge = SentenceJudge()

    outcome = await scored("It carries 240 people [1][7]. Adults pay more [2].", judge)

    assert [about.sentence for about in judge.asked] == ["Adults pay more."]
    assert (outcome.label, outcome.bad, outcome.support) == ("fabricated", True, 0.0)
    assert outcome.counts["fabricated_keys"] == outcome.counts["fabricated_sentences"] == 1
    assert rows(outcome)[0]["keys"] == ["1", "7"]


async def test_sources_without_text_support_nothing_and_are_not_invented() -> None:
    judge = SentenceJudge()

    outcome = await scored("It carries 240 people [3].", judge)

    assert judge.asked == []
    assert (outcome.score, outcome.label) == (0.0, "unsupported")
    assert outcome.flags == ("empty_evidence",)
    assert rows(outcome)[0]["fabricated"] is False


async def test_the_judge_sees_the_sentence_and_its_own_evidence_alone() -> None:
    judge = SentenceJudge()
    trace = a_trace("It is so [2][1][4]. It is not [3].", contexts=("one", "two", "three", "two"))

    await CitationAccuracy().score(trace, judge)

    assert judge.asked[0].sentence == "It is so."
    assert [(piece.key, piece.text) for piece in judge.asked[0].evidence] == [
        ("2", "two"),
        ("1", "one"),
    ]


@pytest.mark.parametrize(
    ("answer", "score", "flags", "label"),
    [
        ("  No relevant evidence found.\n", 1.0, ("abstained",), "abstained"),
        ("No relevant evidence found", 0.0, ("uncited",), "uncited"),
        ("no relevant evidence found.", 0.0, ("uncited",), "uncited"),
        ("The ferry carries many people.", 0.0, ("uncited",), "uncited"),
        (" ", 0.0, ("empty_answer", "uncited"), "empty_answer"),
        ("[1]", 0.0, ("uncited", "dangling"), "uncited"),
    ],
)
async def test_answers_that_cite_nothing_need_no_judge_and_are_not_bad(
    answer: str, score: float, flags: tuple[str, ...], label: str
) -> None:
    judge = SentenceJudge()

    outcome = await scored(answer, judge)

    assert (outcome.score, outcome.flags, outcome.label, outcome.bad) == (
        score,
        flags,
        label,
        False,
    )
    assert judge.asked == []


async def test_no_citation_is_bad_where_it_is_told_to_be() -> None:
    outcome = await scored("The ferry carries many people.", uncited_is_bad=True)

    assert outcome.bad
    assert outcome.breakdown["uncited_sentences"] == 1


async def test_pass_at_sets_bad_and_judges_nothing_again() -> None:
    outcome = await scored("It is so [1]. It is green [2].", SentenceJudge({"green": 1}))

    assert not outcome.bad
    assert CitationAccuracy(pass_at=0.6).bad(outcome)
    assert not CitationAccuracy(pass_at=0.4).bad(outcome)


async def test_what_the_judge_cannot_tell_leaves_every_figure() -> None:
    trace = a_trace("It is so [1]. It is green [2]. It is late today.", contexts=FERRY)

    outcome = await CitationAccuracy().score(trace, VerdictJudge(["yes", "undecided"]))

    assert isinstance(outcome, Scored)
    assert outcome.counts["cited"] == outcome.counts["supported"] == 1
    assert (outcome.counts["eligible"], outcome.counts["undecided"]) == (2, 1)
    assert [row["supported"] for row in rows(outcome)] == [True, None]
    assert outcome.flags == ("name",)


async def test_nothing_decided_is_no_score() -> None:
    trace = a_trace("It is so [1]. It is green [2].", contexts=FERRY)

    outcome = await CitationAccuracy().score(trace, VerdictJudge(["undecided", "undecided"]))

    assert isinstance(outcome, NotScorable)
    assert outcome.reason == "undecided"
    assert [row["text"] for row in rows(outcome)] == ["It is so.", "It is green."]


async def test_one_sentence_without_a_verdict_fails_the_row_and_stops_the_others() -> None:
    judge = SentenceJudge(breaks_on="breaks")

    with pytest.raises(JudgeUnavailableError):
        await scored("It breaks [1]. It is so [1]. It is green [2].", judge)

    assert judge.finished == []


async def test_few_questions_of_one_answer_are_under_way_at_once() -> None:
    judge = SentenceJudge()

    await scored(" ".join(f"Sentence number {n} [1]." for n in range(9)), judge, in_flight=4)

    assert judge.most == 4


@pytest.mark.parametrize(
    ("trace", "reason"),
    [
        (a_trace(None), "missing_answer"),
        (a_trace("It is so [1].", contexts=None), "missing_citations"),
        (a_trace("x").model_copy(update={"unusable": ("contexts",)}), "unusable_contexts"),
        (a_trace("x").model_copy(update={"unusable": ("citations",)}), "unusable_citations"),
        (
            a_trace("x").model_copy(update={"contexts": (Passage(key="1", text="a"),) * 2}),
            "duplicate_context_keys",
        ),
    ],
)
async def test_a_trace_that_breaks_the_rules_is_invalid(trace: RagTrace, reason: str) -> None:
    assert await CitationAccuracy().score(trace, SentenceJudge()) == InvalidInput(reason=reason)


async def test_recorded_citations_come_before_contexts_and_may_be_empty() -> None:
    trace = a_trace("It is so [1].").model_copy(update={"citations": {}})

    outcome = await CitationAccuracy().score(trace, SentenceJudge())

    assert isinstance(outcome, Scored)
    assert outcome.label == "fabricated"


@pytest.mark.parametrize(
    "reply", [None, [], {}, {"score": "9"}, {"score": True}, {"score": 11}, {"score": -1},
              {"score": float("nan")}, {"score": None}, {"score": 9, "reason": 3}],
)  # fmt: skip
def test_a_reply_is_read_strictly_and_never_mended(reply: object) -> None:
    question = support(SupportSentence("It is so.", ()), row="t")

    with pytest.raises(InvalidReplyError):
        question.read(reply)


def test_a_sentence_is_supported_from_the_threshold_on() -> None:
    question = support(SupportSentence("It is so.", (), threshold=0.7), row="t")

    assert question.read({"score": 7, "reason": None}).verdict == "yes"
    assert question.read({"score": 6.9}).verdict == "unsure"


@pytest.mark.parametrize(
    "parameters", [{"threshold": 1.5}, {"pass_at": -1}, {"min_words": -1}, {"in_flight": 0}]
)
def test_parameters_out_of_range_are_refused(parameters: dict[str, int]) -> None:
    with pytest.raises(ParameterError):
        CitationAccuracy(**parameters)  # type: ignore[arg-type]


def test_the_config_hash_is_that_of_the_contract() -> None:
    scorer = CitationAccuracy()
    judge = RulesJudge().identity

    found = config_hash(
        scorer={"name": scorer.name, "version": scorer.version, **scorer.settings},
        judge={"name": judge.name, "version": judge.version, "model": judge.model},
    )

    assert found == "b9c2aa16e5f1c5fb"
