"""Which replies of a grading judge are refused, and by what name."""

import pytest

from tests.scorers.factual_accuracy.grades import a_claim, a_reply, broken, scored


@pytest.mark.parametrize("score", [4.0, "4", True, None])
async def test_a_grade_that_is_no_integer_is_refused(score: object) -> None:
    assert await broken(a_reply(score=score)) == ("score_type",)


@pytest.mark.parametrize("score", [0, 6, -1, 92 * 10**122])
async def test_a_grade_off_the_scale_is_refused_and_not_clamped(score: int) -> None:
    assert await broken(a_reply(score=score)) == ("score_range",)


@pytest.mark.parametrize(
    ("claim", "rules"),
    [
        (a_claim(claim_text="It opened in 1874"), ("claim_not_verbatim",)),
        (a_claim(claim_text=""), ("claim_not_verbatim",)),
        (a_claim("supported"), ("verdict_enum",)),
        (a_claim("Fully_Supported"), ("verdict_enum",)),
        (a_claim(evidence=None), ("evidence_required",)),
        (a_claim(evidence=" "), ("evidence_required",)),
        (a_claim(evidence="opened in 1901"), ("evidence_not_in_reference",)),
        (a_claim("contradicted", evidence="opened in 1874"), ("evidence_forbidden",)),
        (a_claim("unsupported", evidence=""), ("evidence_forbidden",)),
        (a_claim(explanation=None), ("explanation_empty",)),
        (a_claim(explanation="As stated."), ("explanation_generic",)),
        (a_claim(scope="elsewhere"), ("claim_schema",)),
    ],
)
async def test_a_claim_that_breaks_a_rule_is_refused_by_name(
    claim: dict[str, object], rules: tuple[str, ...]
) -> None:
    assert await broken(a_reply(a_claim(), claim)) == rules


@pytest.mark.parametrize("evidence", ["sentence 1", "Line 2", "paragraph 12.", "“OPENED  in 1874”"])
async def test_evidence_is_a_quote_however_it_is_set_or_a_place(evidence: str) -> None:
    assert (await scored(a_reply(a_claim(evidence=evidence)))).score == 5


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ('"Opened in 1874" is right.', True),
        ("The rooms are wrong: it has 14, not and has 12.", True),
        ("Claim 1 is right.", True),
        ("Both claims 1 and 2 are right.", True),
        ("Claim 3 is right.", False),
        ("It opened on time.", False),
        ("A good answer.", False),
    ],
)
async def test_a_justification_names_a_claim(text: str, accepted: bool) -> None:
    claims = (a_claim(), a_claim(claim_text="and has 12 rooms"))
    reply = a_reply(*claims, score_justification=text)

    if accepted:
        assert (await scored(reply)).reason == text
    else:
        assert await broken(reply) == ("justification_no_claim_reference",)


async def test_everything_that_a_reply_breaks_is_told_at_once_and_once() -> None:
    reply: dict[str, object] = {"claim_verifications": ["a", "b"], "verdict_summary": "Short."}

    assert await broken(reply) == (
        "claim_schema",
        "justification_empty",
        "score_type",
        "summary_short",
    )


@pytest.mark.parametrize("claims", [[], "none", None])
async def test_a_reply_without_claims_is_refused(claims: object) -> None:
    assert "claims_empty" in await broken(a_reply(claim_verifications=claims))


@pytest.mark.parametrize(
    ("extra", "rule"),
    [
        ({"required_facts": [{"fact": "the year"}]}, "facts_schema"),
        ({"required_facts": "the year"}, "facts_schema"),
        ({"errors_found": [1]}, "errors_schema"),
    ],
)
async def test_optional_parts_are_right_or_absent(extra: dict[str, object], rule: str) -> None:
    assert await broken(a_reply(**extra)) == (rule,)
