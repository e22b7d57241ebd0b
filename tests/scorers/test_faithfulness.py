from typing import Any

import pytest

from schemas.score import InvalidInput, NotScorable, Scored
from schemas.trace import Passage, RagTrace, Turn
from scorers.contract import Judgement, JudgeUnavailableError
from scorers.faithfulness import Faithfulness
from scorers.parameters import ParameterError
from scorers.questions import ExplainVerdicts, VerifyClaims
from tests.fakes import ScriptedJudge, a_trace, unavailable

TWO = "The mill opens at ten.\nIt closes at six."


def verdicts(*words: str) -> dict[str, object]:
    return {"verdicts": [{"reason": "r", "verdict": word} for word in words]}


def many(claims: int) -> str:
    return "\n".join(f"Mill number {n} opens at ten." for n in range(claims))


def claims_of(judge: ScriptedJudge) -> list[tuple[str, ...]]:
    return [q.about.claims for q in judge.asked if isinstance(q.about, VerifyClaims)]


def rows_of(outcome: Scored) -> list[dict[str, Any]]:
    rows = outcome.breakdown["claims"]
    assert isinstance(rows, list)
    return [row for row in rows if isinstance(row, dict)]


async def scored(judge: ScriptedJudge, trace: RagTrace | None = None, **parameters: Any) -> Scored:
    outcome = await Faithfulness(**parameters).score(trace or a_trace(TWO), judge)
    assert isinstance(outcome, Scored)
    return outcome


async def test_the_score_is_the_share_of_supported_claims() -> None:
    outcome = await scored(ScriptedJudge([verdicts("yes", "unsure")]))

    assert (outcome.score, outcome.normalized, outcome.label) == (0.5, 0.5, "unsupported")
    assert outcome.counts == {
        "claims": 2,
        "supported": 1,
        "contradicted": 0,
        "unsure": 1,
        "undecided": 0,
    }


async def test_an_unverifiable_answer_is_not_supported_because_nothing_contradicts_it() -> None:
    outcome = await scored(ScriptedJudge([verdicts("unsure", "unsure")]))

    assert outcome.score == 0


async def test_only_the_public_score_is_rounded() -> None:
    outcome = await scored(ScriptedJudge([verdicts(*["yes"] + ["no"] * 7)]), a_trace(many(8)))

    assert (outcome.score, outcome.normalized) == (0.13, 0.125)


async def test_the_scale_stretches_the_score_and_leaves_the_ratio() -> None:
    outcome = await scored(ScriptedJudge([verdicts("yes", "no")]), scale=5)

    assert (outcome.score, outcome.normalized) == (2.5, 0.5)


async def test_undecided_claims_leave_numerator_and_denominator() -> None:
    judged = (Judgement("yes", support=0.9), Judgement("undecided", support=0.4))

    outcome = await scored(ScriptedJudge([judged]))

    assert (outcome.score, outcome.counts["claims"], outcome.counts["undecided"]) == (1.0, 1, 1)
    assert outcome.support == 0.4


async def test_an_answer_with_nothing_decided_has_no_score_and_shows_its_claims() -> None:
    judge = ScriptedJudge([(Judgement("undecided", support=0.4), Judgement("undecided"))])

    outcome = await Faithfulness().score(a_trace(TWO), judge)

    assert isinstance(outcome, NotScorable)
    assert outcome.reason == "undecided"
    rows = (outcome.breakdown or {})["claims"]
    assert isinstance(rows, list)
    assert [row["support"] for row in rows if isinstance(row, dict)] == [0.4, None]


async def test_a_claim_shows_its_words_its_place_its_evidence_and_who_decided() -> None:
    reply = {
        "verdicts": [
            {"reason": "stated", "quote": "OPENS  at “ten”", "source": "1", "verdict": "Yes "}
        ]
    }
    trace = a_trace("  The mill opens at ten.", contexts=["The mill opens at ten."])

    outcome = await scored(ScriptedJudge([reply]), trace)

    assert outcome.breakdown["claims"] == [
        {
            "text": "The mill opens at ten.",
            "verdict": "yes",
            "support": None,
            "decided_by": "scripted",
            "evidence": {"key": "1", "quote": "OPENS  at “ten”"},
            "flags": [],
            "reason": "stated",
            "start": 2,
            "end": 24,
        }
    ]


async def test_a_quote_that_stands_nowhere_makes_the_verdict_unsure() -> None:
    reply = {"verdicts": [{"verdict": "yes", "quote": "the mill is older than the town"}]}

    outcome = await scored(ScriptedJudge([reply]), a_trace("The mill is old."))

    assert outcome.counts["unsure"] == 1
    assert outcome.flags == ("quote_mismatch",)


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


@pytest.mark.parametrize("claims", ["judge", "sentences"])
async def test_an_empty_answer_scores_zero_without_a_call_and_is_nobodys_bad_answer(
    claims: str,
) -> None:
    outcome = await scored(ScriptedJudge([]), a_trace(" \n"), claims=claims)

    assert (outcome.score, outcome.label) == (0, "empty_answer")
    assert outcome.flags == ("empty_answer", "no_claims")
    assert not Faithfulness().bad(outcome)


async def test_an_answer_that_claims_nothing_scores_zero_and_is_set_apart() -> None:
    outcome = await scored(ScriptedJudge([{"claims": []}]), claims="judge")

    assert (outcome.score, outcome.label, outcome.flags) == (0, "no_claims", ("no_claims",))
    assert not Faithfulness().bad(outcome)


async def test_a_configured_refusal_is_flagged_and_never_bad() -> None:
    trace = a_trace("No relevant evidence found.")

    outcome = await scored(
        ScriptedJudge([{"claims": ["There is none."]}, verdicts("unsure")]), trace, claims="judge"
    )

    assert outcome.label == "abstained"
    assert not Faithfulness().bad(outcome)


async def test_without_any_text_to_check_against_every_claim_is_unsure_unasked() -> None:
    outcome = await scored(ScriptedJudge([]), a_trace(TWO, contexts=["", " "]))

    assert outcome.counts["unsure"] == 2
    assert "no_context" in outcome.flags
    assert outcome.breakdown["no_context"] is True


async def test_contexts_that_were_not_recorded_make_the_row_not_scorable_and_no_zero() -> None:
    outcome = await Faithfulness().score(a_trace(contexts=None), ScriptedJudge([]))

    assert outcome == NotScorable(reason="missing_context")


async def test_a_missing_answer_is_invalid_before_anything_else() -> None:
    outcome = await Faithfulness().score(a_trace(None, contexts=None), ScriptedJudge([]))

    assert outcome == InvalidInput(reason="missing_answer")


async def test_contexts_that_could_not_be_read_are_invalid_and_not_missing() -> None:
    trace = a_trace(contexts=None).model_copy(update={"unusable": ("contexts",)})

    outcome = await Faithfulness().score(trace, ScriptedJudge([]))

    assert outcome == InvalidInput(reason="unusable_contexts")


def with_tools(contexts: list[str] | None) -> RagTrace:
    results = ({"state": "result", "result": {"opens": "ten"}},)
    return a_trace(TWO, contexts=contexts).model_copy(update={"tool_results": results})


async def test_finished_tool_calls_are_the_evidence_where_no_contexts_were_recorded() -> None:
    judge = ScriptedJudge([verdicts("yes", "yes")])

    await scored(judge, with_tools(None))

    about = judge.asked[0].about
    assert isinstance(about, VerifyClaims)
    assert [(piece.key, piece.text) for piece in about.evidence] == [("tool:1", '{"opens":"ten"}')]


async def test_recorded_contexts_win_over_tool_results_even_when_empty() -> None:
    outcome = await scored(ScriptedJudge([]), with_tools([]))

    assert outcome.breakdown["no_context"] is True


async def test_all_evidence_takes_every_kind_under_keys_of_its_own() -> None:
    judge = ScriptedJudge([verdicts("yes", "yes")])
    trace = with_tools(["The mill."]).model_copy(
        update={"history": (Turn(role="user", text="Hello"),)}
    )

    kinds = ("contexts", "tool_results", "history")
    await scored(judge, trace, evidence=kinds, all_evidence=True)

    about = judge.asked[0].about
    assert isinstance(about, VerifyClaims)
    assert [piece.key for piece in about.evidence] == ["1", "tool:1", "turn:1"]


async def test_a_verdict_names_the_kind_of_its_source_where_that_is_no_passage() -> None:
    quotes = ({"quote": "ten", "source": "tool:1"}, {"quote": "The mill", "source": "1"})
    judge = ScriptedJudge([{"verdicts": [{"verdict": "yes", **one} for one in quotes]}])

    outcome = await scored(judge, with_tools(["The mill."]), all_evidence=True)

    assert [row["evidence"] for row in rows_of(outcome)] == [
        {"key": "tool:1", "quote": "ten", "kind": "tool_results"},
        {"key": "1", "quote": "The mill"},
    ]


async def test_the_turns_before_go_along_unless_they_are_evidence_themselves() -> None:
    said = (Turn(role="user", text="Tell me of the mill."),)
    trace = a_trace(TWO).model_copy(update={"history": said})
    judge = ScriptedJudge([verdicts("yes", "yes"), verdicts("yes", "yes")])

    await scored(judge, trace)
    await scored(judge, trace, evidence=("contexts", "history"), all_evidence=True)

    abouts = [q.about for q in judge.asked if isinstance(q.about, VerifyClaims)]
    assert [about.turns for about in abouts] == [said, ()]
    assert [piece.kind for piece in abouts[0].evidence] == ["contexts"]


async def test_the_reason_is_asked_for_with_the_verdicts_that_made_the_score() -> None:
    judge = ScriptedJudge([verdicts("yes", "no"), {"reason": "Half of it holds."}])

    outcome = await scored(judge, include_reason=True)

    about = judge.asked[1].about
    assert isinstance(about, ExplainVerdicts)
    assert [verdict for _, verdict, _ in about.verdicts] == ["yes", "no"]
    assert (outcome.score, outcome.reason) == (about.score, "Half of it holds.")


async def test_a_reason_that_cannot_be_had_leaves_the_score() -> None:
    judge = ScriptedJudge([verdicts("yes", "yes"), unavailable("http_503")])

    outcome = await scored(judge, include_reason=True)

    assert (outcome.score, outcome.reason) == (1.0, None)
    assert outcome.breakdown["reason_error"] == "http_503"


async def test_a_verdict_that_cannot_be_had_is_the_end_of_the_row() -> None:
    judge = ScriptedJudge([verdicts("yes"), unavailable()])

    with pytest.raises(JudgeUnavailableError):
        await Faithfulness(claims_per_call=1).score(a_trace(TWO), judge)


async def test_prompts_are_kept_only_when_asked_for() -> None:
    kept = await scored(ScriptedJudge([verdicts("yes", "yes")]), keep_prompts=True)
    not_kept = await scored(ScriptedJudge([verdicts("yes", "yes")]))

    assert kept.breakdown["prompts"] == [{"subject": "VerifyClaims", "text": "what was sent"}]
    assert "prompts" not in not_kept.breakdown


@pytest.mark.parametrize(
    ("words", "bad"),
    [(("yes", "yes"), False), (("yes", "unsure"), True), (("yes",) * 9 + ("no",), True)],
)
async def test_an_answer_is_bad_with_a_contradiction_or_too_few_supported_claims(
    words: tuple[str, ...], bad: bool
) -> None:
    trace = a_trace(many(len(words)))

    outcome = await scored(ScriptedJudge([verdicts(*words)]), trace, claims_per_call=10)

    assert Faithfulness().bad(outcome) is bad


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("scale", 0),
        ("scale", float("inf")),
        ("pass_at", 1.1),
        ("claims_per_call", 0),
        ("claims", "words"),
        ("evidence", ()),
        ("evidence", ("contexts", "contexts")),
        ("evidence", ("contexts", "history")),
    ],
)
def test_a_parameter_out_of_its_bounds_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(ParameterError) as refused:
        Faithfulness(**{name: value})  # type: ignore[arg-type]

    assert refused.value.name == name


def test_pass_at_judges_nothing_again_and_is_no_setting() -> None:
    assert Faithfulness(pass_at=0.1).settings == Faithfulness(pass_at=0.9).settings
    assert Faithfulness(claims="judge").settings != Faithfulness().settings


async def test_passages_are_known_by_their_markers_though_they_share_a_document() -> None:
    shared = tuple(
        Passage(key=key, text=text, source="doc-9")
        for key, text in (("1", "The mill is old."), ("2", "It opens at ten."))
    )
    trace = a_trace("The mill opens at ten.").model_copy(update={"contexts": shared})
    reply = {"verdicts": [{"verdict": "yes", "quote": "opens at ten"}]}

    outcome = await scored(ScriptedJudge([reply]), trace)

    assert rows_of(outcome)[0]["evidence"] == {"key": "2", "quote": "opens at ten"}


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


async def test_there_is_one_verdict_a_claim_over_all_contexts_together() -> None:
    judge = ScriptedJudge([verdicts("yes", "unsure")])

    outcome = await scored(judge, a_trace(TWO, contexts=["It opens at ten.", "It is old."]))

    [asked] = judge.asked
    assert isinstance(asked.about, VerifyClaims)
    assert len(asked.about.evidence) == 2
    assert outcome.score == 0.5


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
