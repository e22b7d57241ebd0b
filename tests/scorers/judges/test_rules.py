"""The rules judge: what it takes for supported, and how it answers."""

import asyncio
from collections.abc import Sequence

import pytest

from schemas.score import Usage
from scorers.contract import Judgement, JudgeUnavailableError
from scorers.judges.rules import RulesJudge
from scorers.questions import Evidence, ExtractClaims, Question, SupportSentence, VerifyClaims
from tests.scorers.judges.ruled import ENGLISH, GERMAN, judged


@pytest.mark.parametrize(
    ("claim", "texts"),
    [
        ("You can get a refund within 30 days of your purchase.", ENGLISH),
        ("Refunds are paid to your original payment method within 5 to 7 business days.", ENGLISH),
        ("The item has to be unused and in the original packaging.", ENGLISH),
        ("Our support team is available Monday to Friday from 9 am to 6 pm.", ENGLISH),
        ("The Premium plan costs 12.99 euros a month with 500 GB of storage.", ENGLISH),
        ("The Halden ferry carries 240 passengers.", ENGLISH),
        ("the halden ferry was built by ulstein in 2019 .", ENGLISH),
        ("Some 5 , 000 people used it in 25 days.", ENGLISH),
        ("Sie können die Ware innerhalb von 30 Tagen nach dem Kauf zurückgeben.", GERMAN),
        ("Die Rückgabe ist innerhalb von 30 Tagen möglich.", GERMAN),
        ("Der Premium-Tarif kostet 12,99 Euro pro Monat und enthält 500 GB Speicherplatz.", GERMAN),
        ("Das Museum öffnet am 3. März 2024 um 10:00 Uhr.", GERMAN),
        ("Rund 1200 Gäste kamen.", GERMAN),
    ],
)
def test_what_is_close_to_the_evidence_is_supported(claim: str, texts: Sequence[str]) -> None:
    judgement = judged([claim], texts)[0]

    assert (judgement.verdict, judgement.flags) == ("yes", ())
    assert judgement.support is not None
    assert 0.75 <= judgement.support <= 1.0


def test_what_the_evidence_does_not_speak_of_is_unsure() -> None:
    judgement = judged(["Gift cards never expire and can be used anywhere."])[0]

    assert judgement.verdict == "unsure"
    assert judgement.support is not None
    assert judgement.support < 0.3


def test_a_free_paraphrase_is_undecided() -> None:
    claim = "Your money goes back to the original method of payment after some business days."

    assert judged([claim])[0].verdict == "undecided"


@pytest.mark.parametrize("claim", ["", "…", "!!", "the of and", "\u202e", "😀"])
def test_a_claim_without_words_is_never_supported(claim: str) -> None:
    assert judged([claim])[0].verdict != "yes"


def test_no_evidence_supports_nothing() -> None:
    judgement = judged(["The ferry is green."], [])[0]

    assert (judgement.verdict, judgement.support, judgement.quote) == ("unsure", 0.0, None)


def test_the_quote_stands_in_the_passage_that_is_named() -> None:
    judgement = judged(["The Premium plan includes 500 GB of storage."])[0]

    assert judgement.evidence_key == "2"
    assert judgement.quote is not None
    assert judgement.quote in ENGLISH[1]


async def test_a_sentence_counts_from_its_threshold_on() -> None:
    evidence = (Evidence("1", ENGLISH[0], "citations"),)
    sentence = "You can get a refund within 30 days of your purchase."
    lenient: Question[Judgement] = Question(
        SupportSentence(sentence, evidence, 0.5), lambda _: Judgement("no"), "t"
    )
    strict: Question[Judgement] = Question(
        SupportSentence(sentence, evidence, 0.95), lambda _: Judgement("no"), "t"
    )

    assert (await RulesJudge().ask(lenient)).value.verdict == "yes"
    assert (await RulesJudge().ask(strict)).value.verdict == "undecided"


async def test_other_questions_are_refused_and_can_be_told_before() -> None:
    question: Question[str] = Question(ExtractClaims("It is so."), str, "t")

    with pytest.raises(JudgeUnavailableError, match="unsupported_question"):
        await RulesJudge().ask(question)

    assert ExtractClaims not in RulesJudge.answers


async def test_an_answer_costs_a_call_and_no_money() -> None:
    question: Question[object] = Question(VerifyClaims(("It is so.",), ()), lambda r: r, "t")

    assert (await RulesJudge().ask(question)).usage == Usage(calls=1, cost_usd=0.0)


async def test_long_evidence_leaves_the_event_loop_free() -> None:
    evidence = (Evidence("1", "The ferry carries 240 passengers. " * 2_000),)
    about = VerifyClaims(("The ferry carries 240 passengers.",), evidence)
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    ticking = asyncio.create_task(tick())
    question: Question[object] = Question(about, lambda r: r, "t")
    await RulesJudge().ask(question)
    ticking.cancel()

    assert ticks > 1


def test_a_sentence_far_down_is_found_though_its_common_words_stand_everywhere() -> None:
    claim = "The gate of the north tower is painted green."
    passage = "The gate of the yard is open. " * 2_000 + claim

    [judgement] = judged([claim], [passage])

    assert (judgement.verdict, judgement.quote) == ("yes", claim)


def test_a_claim_that_is_made_again_has_the_same_verdict_each_time() -> None:
    one, other, again = judged(
        ["The ferry carries 9 passengers.", "Hi.", "The ferry carries 9 passengers."]
    )

    assert one == again
    assert one != other


CHINESE = ("博物馆周一不开放。门票的价格是二十元。儿童可以免费参观所有展览。",)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("儿童可以免费参观所有展览。", "yes"),
        ("门票的价格是三十元。", "undecided"),
        ("博物馆周一开放。", "undecided"),
        ("儿童不可以免费参观所有展览。", "undecided"),
    ],
)
def test_a_claim_without_spaces_is_supported_only_where_it_stands_as_it_is(
    claim: str, verdict: str
) -> None:
    (judgement,) = judged([claim], CHINESE)

    assert judgement.verdict == verdict
