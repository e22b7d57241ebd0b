"""What scoring would draw is never left out by what comes before it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.rejection import Rejection
from streams.assemble.keeping import keeping
from streams.intake.decode import Intake
from streams.scoring.factors import Factors
from streams.scoring.sampling import BASE, BodySampler, KeySampler, Stratum
from tests.fakes import a_record, a_trace

CHANCES = st.sampled_from([0.001, 0.05, 0.3, 0.5, 1.0])
IDS = st.binary(min_size=16, max_size=16).map(bytes.hex)
SCORERS = st.dictionaries(st.sampled_from(["a", "b"]), st.none() | CHANCES, min_size=1)


@settings(max_examples=30)
@given(base=CHANCES, down=CHANCES, scorers=SCORERS, ids=st.lists(IDS, min_size=20, max_size=60))
def test_a_row_that_scoring_draws_is_kept_in_whatever_stratum_it_turns_out_to_be(
    base: float, down: float, scorers: dict[str, float | None], ids: list[str]
) -> None:
    strata = [Stratum("down", {"feedback": frozenset({"down"})}, down)]
    sampler = BodySampler("salt", base, strata, scorers, Intake().heads)

    keep = keeping("salt", {BASE: base, "down": down}, scorers)

    for trace_id in ids:
        for feedback in ("down", "up"):
            row = a_trace(id=trace_id).model_copy(update={"feedback": feedback})
            draw = sampler.draw(a_record(row))
            assert not isinstance(draw, Rejection)
            assert keep(trace_id) or not draw.drawn


def test_what_the_widest_would_draw_is_all_that_is_kept() -> None:
    keep = keeping("streamgauge", {BASE: 0.05, "down": 0.2}, {"a": None, "b": 0.01})

    kept = sum(keep(f"{number:032x}") for number in range(1, 10_001))

    assert 1_850 < kept < 2_150


def test_where_the_key_decides_the_rows_kept_are_those_that_are_drawn() -> None:
    sampler = KeySampler("salt", 0.3, "shop/production", {"a": None})
    keep = keeping("salt", {BASE: 0.3}, {"a": None})

    for number in range(1, 500):
        draw = sampler.draw(a_record(a_trace(id=f"{number:032x}")))
        assert not isinstance(draw, Rejection)
        assert keep(f"{number:032x}") == bool(draw.drawn)


def test_a_budget_that_lowers_the_draw_later_lowers_it_within_what_was_kept() -> None:
    sampler = KeySampler("salt", 0.3, "shop/production", {"a": None})
    keep = keeping("salt", {BASE: 0.3}, {"a": None})
    sampler.lower(Factors(0.5))

    drawn = [
        number
        for number in range(1, 500)
        if (draw := sampler.draw(a_record(a_trace(id=f"{number:032x}"))))
        and not isinstance(draw, Rejection)
        and draw.drawn
    ]

    assert drawn
    assert all(keep(f"{number:032x}") for number in drawn)


def test_where_a_stratum_asks_for_every_row_every_trace_is_kept() -> None:
    keep = keeping("salt", {BASE: 0.001, "down": 1.0}, {"a": None})

    assert all(keep(f"{number:032x}") for number in range(1, 200))
