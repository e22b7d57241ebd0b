"""A seat with something to hide: what its scorer, its judges and its readers see of a row."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from schemas.score import Scored
from schemas.trace import RagTrace, Turn
from scorers.citation_accuracy import CitationAccuracy
from scorers.contract import FreshAnswer, Judge, Scorer
from scorers.factual_consistency import FactualConsistency
from scorers.faithfulness import Faithfulness
from scorers.judges.cascade import CascadeJudge, Stage
from scorers.judges.rules import RulesJudge
from scorers.questions import CompareAnswers, VerifyClaims
from scorers.redaction.judges import LiftingJudge
from scorers.redaction.rows import Covering
from scorers.redaction.veil import Redaction
from streams.scoring.panel import Judged, Seat
from tests.fakes import ScriptedJudge, a_trace

ANSWER = "The desk answers at anna@museum.example every day. Ring +49 30 1234567 for the tours."
PASSAGE = "The desk answers at Anna@museum.example every day. Ring 0049 30 1234567 for the tours."
PATTERNS = ("email", "phone")


def a_seat(scorer: Scorer, judge: Judge, *patterns: str, spared: str = "") -> Seat:
    covering = Covering(Redaction(patterns, frozenset({spared}))) if patterns else None
    return Seat(scorer, judge, timedelta(seconds=60), covering=covering)


def rows(judged: Judged, name: str = "claims") -> list[Any]:
    assert isinstance(judged.outcome, Scored)
    shown = judged.outcome.breakdown[name]
    assert isinstance(shown, list)
    return shown


def verdicts(*quotes: str) -> dict[str, object]:
    return {"verdicts": [{"reason": "so", "verdict": "yes", "quote": quote} for quote in quotes]}


async def test_a_quote_of_a_placeholder_is_found_in_the_evidence_that_was_told() -> None:
    judge = ScriptedJudge([verdicts("answers at [EMAIL_1]", "Ring [PHONE_1] for")])

    judged = await a_seat(Faithfulness(), judge, *PATTERNS).judged(
        a_trace(ANSWER, contexts=[PASSAGE])
    )

    [asked] = judge.asked
    assert isinstance(asked.about, VerifyClaims)
    assert asked.about.claims[0] == "The desk answers at [EMAIL_1] every day."
    assert asked.about.evidence[0].text.startswith("The desk answers at [EMAIL_1] every day.")
    assert [row["verdict"] for row in rows(judged)] == ["yes", "yes"]
    assert rows(judged)[1]["evidence"] == {"key": "1", "quote": "Ring [PHONE_1] for"}
    assert judged.hidden == {"email": 2, "phone": 2}


async def test_the_judge_inside_this_process_reads_what_the_placeholders_stand_for() -> None:
    trace = a_trace(ANSWER, contexts=[ANSWER.replace("1234567", "7654321")])

    judged = await a_seat(Faithfulness(), LiftingJudge(RulesJudge()), *PATTERNS).judged(trace)

    first, second = rows(judged)
    assert (first["verdict"], first["evidence"]["quote"]) == (
        "yes",
        "The desk answers at [EMAIL_1] every day.",
    )
    assert second["verdict"] in ("no", "unsure")
    assert "number" in second["flags"]
    assert second["text"] == "Ring [PHONE_2] for the tours."


async def test_a_cascade_hides_the_row_from_those_that_come_after_the_rules() -> None:
    chat = ScriptedJudge([verdicts("anything")])
    cascade = CascadeJudge([Stage(LiftingJudge(RulesJudge())), Stage(chat)])
    answer = f"{ANSWER} The desk at anna@museum.example is usually quick to reply to its mail."

    await a_seat(Faithfulness(), cascade, *PATTERNS).judged(a_trace(answer, contexts=[PASSAGE]))

    [asked] = chat.asked
    assert asked.lift is not None
    assert "@" not in repr(asked.about)


async def test_a_citation_of_a_key_that_is_hidden_is_read_all_the_same() -> None:
    trace = a_trace("The desk opens at nine on weekdays. [anna@museum.example]").model_copy(
        update={"citations": {"anna@museum.example": "The desk opens at nine on weekdays."}}
    )

    judged = await a_seat(CitationAccuracy(), LiftingJudge(RulesJudge()), "email").judged(trace)

    [row] = rows(judged, "sentence_rows")
    assert (row["keys"], row["supported"], row["fabricated"]) == (["EMAIL_1"], True, False)


async def test_a_refusal_of_the_settings_is_known_with_the_address_in_it() -> None:
    refusal = "No idea. Write to help@museum.example."
    scorer, judge = Faithfulness(abstentions=(refusal,)), LiftingJudge(RulesJudge())

    spared = await a_seat(scorer, judge, "email", spared=refusal).judged(a_trace(refusal))
    not_spared = await a_seat(scorer, judge, "email").judged(a_trace(refusal))

    assert isinstance(spared.outcome, Scored)
    assert isinstance(not_spared.outcome, Scored)
    assert "abstained" in spared.outcome.flags
    assert "abstained" not in not_spared.outcome.flags


@dataclass
class Parrot:
    """An assistant that answers as it is told, and remembers what it was asked."""

    says: str
    asked: list[str] = field(default_factory=list)

    async def ask(self, messages: Sequence[Turn], *, temperature: float) -> FreshAnswer:
        self.asked += [turn.text for turn in messages]
        return FreshAnswer(self.says)


async def test_the_assistant_is_asked_in_the_clear_and_heard_through_the_veil() -> None:
    parrot = Parrot("Write to anna@museum.example or bob@museum.example.")
    judge = ScriptedJudge([{"label": "Consistent", "score": 1, "explanation": "[EMAIL_1] in both"}])
    trace = a_trace("Write to anna@museum.example.").model_copy(
        update={"question": "Is it anna@museum.example?"}
    )
    scorer = FactualConsistency({trace.assistant: parrot}, responses_per_query=2)

    judged = await a_seat(scorer, judge, "email").judged(trace)

    [asked] = judge.asked
    assert "anna@museum.example" in parrot.asked[0]
    assert isinstance(asked.about, CompareAnswers)
    assert (asked.about.base, asked.about.other) == (
        "Write to [EMAIL_1].",
        "Write to [EMAIL_1] or [EMAIL_2].",
    )
    assert rows(judged)[0]["text"] == "Write to [EMAIL_1] or [EMAIL_2]."


async def test_a_placeholder_in_the_row_is_not_the_value_that_it_seems_to_stand_for() -> None:
    judge = ScriptedJudge([verdicts("[EMAIL_1]")])
    trace = a_trace("The desk answers at [EMAIL_1].", contexts=["It answers at anna@x.org."])

    await a_seat(Faithfulness(), judge, "email").judged(trace)

    [asked] = judge.asked
    assert isinstance(asked.about, VerifyClaims)
    assert asked.about.claims == ("The desk answers at [LITERAL_1].",)
    assert asked.about.evidence[0].text == "It answers at [EMAIL_1]."


def test_what_is_hidden_is_part_of_who_judged_and_its_order_is_not() -> None:
    scorer, judge = Faithfulness(), RulesJudge()

    hashes = [
        a_seat(scorer, judge, *patterns).config_hash
        for patterns in ([], ["email"], ["email", "phone"], ["phone", "email", "email"])
    ]

    assert hashes[2] == hashes[3]
    assert len(set(hashes)) == 3
    assert hashes[0] == Seat(scorer, judge, timedelta(seconds=1)).config_hash


@pytest.mark.parametrize("patterns", [(), PATTERNS])
async def test_a_row_keeps_its_id_whatever_is_hidden_of_it(patterns: tuple[str, ...]) -> None:
    trace: RagTrace = a_trace("Nothing to hide.")

    judged = await a_seat(Faithfulness(), LiftingJudge(RulesJudge()), *patterns).judged(trace)

    assert judged.trace == trace
    assert judged.hidden == ({} if patterns else None)


async def test_all_seats_number_a_row_alike_and_none_sees_what_another_adds() -> None:
    covering, trace = Covering(Redaction(("email",))), a_trace("Write to anna@x.org.")

    first, second = await covering.row(trace), await covering.row(trace)

    assert first.veil.cover("anna@x.org bob@x.org") == "[EMAIL_1] [EMAIL_2]"
    assert second.veil.cover("carl@x.org anna@x.org") == "[EMAIL_2] [EMAIL_1]"


async def test_a_row_like_another_is_covered_for_itself() -> None:
    covering = Covering(Redaction(("email",)))

    rows = [
        await covering.row(a_trace(f"Write to u{n}@x.org. {'word ' * 5_000 * (n % 2)}"))
        for n in range(40)
    ]

    assert [row.veil.lift("[EMAIL_1]") for row in rows] == [f"u{n}@x.org" for n in range(40)]
