import pytest

from schemas.score import Breakdown, Failed, NotScorable, Outcome, Scored, ScoringError
from streams.scoring.disclosure import MOST, Disclosure, disclosed

SECRET = "The patient is called Ada. " * 20
CLAIM: Breakdown = {
    "text": SECRET,
    "verdict": "no",
    "support": 0.1,
    "evidence": {"key": "1", "quote": SECRET},
    "flags": ["number"],
    "reason": SECRET,
}


def scored(reason: str | None = None) -> Scored:
    breakdown: Breakdown = {"claims": [dict(CLAIM)], "total": 1, "statements": [SECRET]}
    return Scored(score=0, normalized=0, label="contradicted", reason=reason, breakdown=breakdown)


def the_claim(outcome: Outcome) -> Breakdown:
    assert isinstance(outcome, Scored)
    claims = outcome.breakdown["claims"]
    assert isinstance(claims, list)
    assert isinstance(claims[0], dict)
    return claims[0]


def test_claims_and_quotes_are_cut_short_by_default() -> None:
    outcome = disclosed(scored(), "claims")

    claim = the_claim(outcome)
    assert len(str(claim["text"])) == MOST
    assert str(claim["text"]).endswith("…")


@pytest.mark.parametrize(
    "outcome", [scored(SECRET), NotScorable(reason="undecided", breakdown=scored().breakdown)]
)
def test_none_lets_no_judged_text_out(outcome: Outcome) -> None:
    published = disclosed(outcome, "none").model_dump_json()

    assert "Ada" not in published
    assert "contradicted" in published or "undecided" in published


def test_none_still_tells_two_texts_apart() -> None:
    one, other = (disclosed(scored(text), "none").model_dump() for text in ("yes", "no"))

    assert one["reason"] != other["reason"]


@pytest.mark.parametrize("how", ["claims", "full"])
def test_a_passages_key_is_named_unless_no_text_may_leave(how: Disclosure) -> None:
    evidence, hidden = (the_claim(disclosed(scored(), each))["evidence"] for each in (how, "none"))

    assert isinstance(evidence, dict)
    assert isinstance(hidden, dict)
    assert evidence["key"] == "1"
    assert str(hidden["key"]).startswith("blake2b:")


@pytest.mark.parametrize("how", ["claims", "none", "full"])
def test_numbers_labels_and_flags_are_never_touched(how: Disclosure) -> None:
    outcome = disclosed(scored(), how)

    claim = the_claim(outcome)
    assert (claim["verdict"], claim["support"], claim["flags"]) == ("no", 0.1, ["number"])


def test_full_is_the_outcome_itself() -> None:
    assert disclosed(scored(SECRET), "full") == scored(SECRET)


def test_a_failure_has_nothing_to_hide() -> None:
    failed = Failed(error=ScoringError(kind="judge_failed", cause="timeout"))

    assert disclosed(failed, "none") == failed
