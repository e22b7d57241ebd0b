"""What claims are checked against, and where each verdict found it."""

from schemas.score import InvalidInput, NotScorable
from schemas.trace import Passage, Turn
from scorers.faithfulness import Faithfulness
from scorers.questions import VerifyClaims
from tests.fakes import ScriptedJudge, a_trace
from tests.scorers.faithfulness.rows import TWO, rows_of, scored, verdicts, with_tools


async def test_a_quote_that_stands_nowhere_makes_the_verdict_unsure() -> None:
    reply = {"verdicts": [{"verdict": "yes", "quote": "the mill is older than the town"}]}

    outcome = await scored(ScriptedJudge([reply]), a_trace("The mill is old."))

    assert outcome.counts["unsure"] == 1
    assert outcome.flags == ("quote_mismatch",)


async def test_without_any_text_to_check_against_every_claim_is_unsure_unasked() -> None:
    outcome = await scored(ScriptedJudge([]), a_trace(TWO, contexts=["", " "]))

    assert outcome.counts["unsure"] == 2
    assert "no_context" in outcome.flags
    assert outcome.breakdown["no_context"] is True


async def test_contexts_that_were_not_recorded_make_the_row_not_scorable_and_no_zero() -> None:
    outcome = await Faithfulness().score(a_trace(contexts=None), ScriptedJudge([]))

    assert outcome == NotScorable(reason="missing_context")


async def test_contexts_that_could_not_be_read_are_invalid_and_not_missing() -> None:
    trace = a_trace(contexts=None).model_copy(update={"unusable": ("contexts",)})

    outcome = await Faithfulness().score(trace, ScriptedJudge([]))

    assert outcome == InvalidInput(reason="unusable_contexts")


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


async def test_passages_are_known_by_their_markers_though_they_share_a_document() -> None:
    shared = tuple(
        Passage(key=key, text=text, source="doc-9")
        for key, text in (("1", "The mill is old."), ("2", "It opens at ten."))
    )
    trace = a_trace("The mill opens at ten.").model_copy(update={"contexts": shared})
    reply = {"verdicts": [{"verdict": "yes", "quote": "opens at ten"}]}

    outcome = await scored(ScriptedJudge([reply]), trace)

    assert rows_of(outcome)[0]["evidence"] == {"key": "2", "quote": "opens at ten"}


async def test_there_is_one_verdict_a_claim_over_all_contexts_together() -> None:
    judge = ScriptedJudge([verdicts("yes", "unsure")])

    outcome = await scored(judge, a_trace(TWO, contexts=["It opens at ten.", "It is old."]))

    [asked] = judge.asked
    assert isinstance(asked.about, VerifyClaims)
    assert len(asked.about.evidence) == 2
    assert outcome.score == 0.5
