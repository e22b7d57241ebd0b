import pytest
from pydantic import JsonValue

from streams.console.evidence import claims_of


@pytest.mark.parametrize(
    ("row", "verdict", "good"),
    [
        ({"text": "a", "verdict": "yes"}, "supported", True),
        ({"text": "a", "verdict": "no"}, "contradicted", False),
        ({"text": "a", "verdict": "undecided"}, "undecided", None),
        ({"text": "a", "verdict": "fully_supported"}, "supported", True),
        ({"text": "a", "verdict": "unsupported"}, "not in the reference", False),
        ({"text": "a", "keys": ["1"], "supported": False}, "not supported by [1]", False),
        (
            {"text": "a", "keys": ["9"], "fabricated": True},
            "cites [9], which does not exist",
            False,
        ),
    ],
)
def test_every_scorers_rows_read_alike(
    row: dict[str, JsonValue], verdict: str, good: bool | None
) -> None:
    [claim] = claims_of({"claims": [row]})

    assert (claim.text, claim.verdict, claim.good) == ("a", verdict, good)


def test_a_breakdown_without_claims_has_none() -> None:
    assert claims_of({"sentences": 0, "sentence_rows": []}) == []
