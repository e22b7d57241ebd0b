"""Which sentences a judge is asked about, with what evidence, and how it may reply."""

import pytest

from schemas.score import InvalidInput, Scored
from schemas.trace import Passage, RagTrace
from scorers.asking.support import support
from scorers.citation_accuracy import CitationAccuracy
from scorers.contract import (
    InvalidReplyError,
    JudgeUnavailableError,
)
from scorers.questions import SupportSentence
from tests.fakes import a_trace
from tests.scorers.citation_accuracy.cited import SentenceJudge, rows, scored


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
