"""What the citations of an answer add up to, and which answers are bad."""

import pytest

from schemas.identity import config_hash
from schemas.score import NotScorable, Scored
from scorers.citation_accuracy import CitationAccuracy
from scorers.judges.rules import RulesJudge
from scorers.parameters import ParameterError
from tests.fakes import a_trace
from tests.scorers.citation_accuracy.cited import FERRY, SentenceJudge, VerdictJudge, rows, scored


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
