"""A minute of `make chaos`."""

from pathlib import Path

import pytest

from tests.kafka.chaos import storm

pytestmark = pytest.mark.service


@pytest.mark.timeout(400)
async def test_a_minute_of_chaos_breaks_no_invariant(tmp_path: Path) -> None:
    """I1 to I6, under F01, F04, F05, F07, F09, F10, F13, F27, F28, F31 to F33 and F43 at once."""
    outcome = await storm(tmp_path, seconds=60, seed=2)

    assert outcome.broken == [], (outcome.chaos.ended, outcome.found.explained)
    assert outcome.chaos.counts["kills"] >= 8
    assert outcome.found.paid_twice_in_flight > 0, "no kill met a call in flight: nothing was tried"
