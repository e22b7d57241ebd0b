"""The demo must show a difference: what the embedded judge makes of each answer, by the truth."""

from collections import Counter, defaultdict
from datetime import UTC, datetime

import pytest

from schemas.score import Scored
from schemas.trace import RagTrace
from scorers.citation_accuracy import CitationAccuracy
from scorers.contract import Scorer
from scorers.evidence.inputs import APART
from scorers.faithfulness import Faithfulness
from scorers.judges.rules import RulesJudge
from streams.demo.content import Assistant, assistants
from streams.demo.traffic import Played, play

CAST = assistants()
PLAY = list(play(CAST, seed=1, start=datetime(2026, 6, 1, 9, tzinfo=UTC)))
JUDGE = RulesJudge()

BY_ASSISTANT = pytest.mark.parametrize("assistant", CAST, ids=lambda one: str(one.service))
BY_SCORER = pytest.mark.parametrize(
    "scorer", [Faithfulness(), CitationAccuracy()], ids=lambda one: str(one.name)
)


async def verdict(scorer: Scorer, played: Played) -> str:
    outcome = await scorer.score(RagTrace.model_validate(played.row), JUDGE)
    if not isinstance(outcome, Scored):
        return "undecided"
    if APART.intersection(outcome.flags):
        return "apart"
    return "bad" if scorer.bad(outcome) else "good"


def said(played: Played) -> tuple[object, object]:
    return played.row["question"], played.row["answer"]


def different(assistant: Assistant, *, wrong: bool) -> list[Played]:
    """Return each different answer of the play once: all that are wrong, or all that are not."""
    rows = {
        said(played): played
        for played in PLAY
        if played.row["service"] == assistant.service and (played.fault is not None) == wrong
    }
    return list(rows.values())


@BY_SCORER
@BY_ASSISTANT
async def test_hardly_a_good_answer_is_flagged_and_few_are_undecided(
    assistant: Assistant, scorer: Scorer
) -> None:
    answers = different(assistant, wrong=False)

    found = Counter([await verdict(scorer, played) for played in answers])

    assert found["bad"] <= 0.06 * len(answers), found
    assert found["undecided"] <= 0.25 * len(answers), found


@BY_SCORER
@BY_ASSISTANT
async def test_most_wrong_answers_are_flagged(assistant: Assistant, scorer: Scorer) -> None:
    answers = different(assistant, wrong=True)

    found = Counter([await verdict(scorer, played) for played in answers])

    assert found["bad"] >= 0.6 * len(answers), found


async def test_the_flagged_rate_tells_the_bad_release_from_all_others() -> None:
    scorer = Faithfulness()
    answers = {said(played): played for played in PLAY}
    judged = {words: await verdict(scorer, played) for words, played in answers.items()}

    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for played in PLAY:
        found[RagTrace.model_validate(played.row).attributes["prompt_version"]].update(
            [judged[said(played)]]
        )
    rates = {
        version: counts["bad"] / (counts["bad"] + counts["good"])
        for version, counts in found.items()
    }

    assert rates.pop("v8") > 0.22
    assert set(rates) == {"v7", "v9", "v3", "v4"}
    assert max(rates.values()) < 0.06, rates
