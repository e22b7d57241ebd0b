"""What of an answer is a claim, and how claims are asked about."""

import pytest

from tests.fakes import ScriptedJudge, a_trace
from tests.scorers.faithfulness.rows import claims_of, many, rows_of, scored, verdicts


async def test_claims_are_asked_some_at_a_time_in_order() -> None:
    judge = ScriptedJudge([verdicts("yes", "yes"), verdicts("no")])

    outcome = await scored(judge, a_trace("One thing.\nAnother.\nA third."), claims_per_call=2)

    assert claims_of(judge) == [("One thing.", "Another."), ("A third.",)]
    assert outcome.label == "contradicted"


async def test_a_verdict_may_name_its_claim_by_the_number_it_has_in_the_answer() -> None:
    second = {"verdicts": [{"id": 3, "verdict": "no"}]}
    judge = ScriptedJudge([verdicts("yes", "yes"), second])

    outcome = await scored(judge, a_trace("One thing.\nAnother.\nA third."), claims_per_call=2)

    assert outcome.counts["contradicted"] == 1


async def test_with_claims_from_the_judge_blank_ones_are_dropped_and_repeated_ones_kept() -> None:
    judge = ScriptedJudge([{"claims": ["a", " ", "a"]}, verdicts("yes", "no")])

    await scored(judge, claims="judge")

    assert claims_of(judge) == [("a", "a")]


async def test_a_claim_that_the_answer_does_not_make_is_told() -> None:
    judge = ScriptedJudge(
        [{"claims": ["The mill opens at ten.", "Volcanoes erupt."]}, verdicts("yes", "unsure")]
    )

    outcome = await scored(judge, claims="judge")

    assert [row["flags"] for row in rows_of(outcome)] == [[], ["not_in_answer"]]
    assert outcome.score == 0.5


async def test_every_claim_of_a_long_answer_is_in_the_event() -> None:
    judge = ScriptedJudge([verdicts(*["yes"] * 8), verdicts(*["no"] * 8), verdicts(*["yes"] * 4)])

    outcome = await scored(judge, a_trace(many(20)))

    assert len(rows_of(outcome)) == outcome.counts["claims"] == 20


@pytest.mark.parametrize(
    "answer",
    [
        "水车十点开放。票价七欧元。门票包括导游。",
        "चक्की दस बजे खुलती है। टिकट सात यूरो का है। वह पुरानी है।",
    ],
)
async def test_no_sentence_is_lost_for_lack_of_an_ascii_full_stop(answer: str) -> None:
    judge = ScriptedJudge([verdicts("yes", "yes", "yes")])

    outcome = await scored(judge, a_trace(answer))

    assert outcome.counts["claims"] == 3


async def test_greetings_and_filler_are_no_claims() -> None:
    judge = ScriptedJudge([verdicts("yes")])

    outcome = await scored(judge, a_trace("Hello! Happy to help. The bridge is 90 m long."))

    assert outcome.counts["claims"] == 1
