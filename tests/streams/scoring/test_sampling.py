import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.rejection import Rejection
from streams.intake.head import Head, Profile
from streams.ports import Record
from streams.scoring.chances import Chance
from streams.scoring.drawing import drawing, share
from streams.scoring.draws import Cell, Draw, Draws
from streams.scoring.sampling import BASE, BodySampler, KeySampler, Sampler, Stratum

SALT = "streamgauge"


def keyed(key: bytes | None, offset: int = 0) -> Record:
    return Record("rag.traces", 0, offset, key, b"never read", 1_000)


def by_key(probability: float, **scorers: float | None) -> KeySampler:
    return KeySampler(SALT, probability, "shop/production", scorers or {"faithfulness": None})


def test_a_key_below_the_probability_is_drawn_and_one_above_is_not() -> None:
    record = keyed(b"0af7651916cd43dd8448eb211c80319c")  # u = 0.13382

    kept = Draw("shop/production", BASE, (Chance("faithfulness", 0.14),))
    passed = Draw("shop/production", BASE, ())
    assert by_key(0.14).draw(record) == kept
    assert by_key(0.13).draw(record) == passed

    draws = by_key(0.14).draws([keyed(b"order-123"), record])
    assert draws == Draws({Cell("shop/production", BASE, 0): 1}, {1: kept}, [1_000, 1_000], {})


@pytest.mark.parametrize("by", ["key", "body"])
def test_a_row_of_which_something_is_published_is_named_whether_it_is_drawn_or_not(by: str) -> None:
    sampler: Sampler = by_key(0.0001) if by == "key" else body()
    known = keyed(b"order-123")._replace(published=frozenset({"e1"}))

    draws = sampler.draws([keyed(b"order-123"), known])

    assert sum(draws.passed.values()) == 1
    assert draws.others == {1: sampler.draw(known)}


def test_a_batch_is_drawn_as_its_rows_are_one_by_one() -> None:
    batch = [
        keyed(b"never", offset)._replace(timestamp=at) for offset, at in enumerate((0, 60_000))
    ]
    late = Profile("shop", "production", {"feedback": "up"}, {})
    heads = [Head("order-123", at, "row", late) for at in (59_000, 61_000)]  # u = 0.97203
    sampler = BodySampler(
        SALT, 0.9, [], {"faithfulness": None}, lambda rows: [heads[row.offset] for row in rows]
    )

    draws = sampler.draws(batch)

    cells = {Cell("shop/production", BASE, minute): 1 for minute in (0, 1)}
    assert draws == Draws(cells, {}, [0, 60_000], {})
    assert all(
        sampler.draw(record) == Draw("shop/production", BASE, (), head.at)
        for record, head in zip(batch, heads, strict=True)
    )


def test_a_record_without_a_key_is_drawn_by_the_id_that_its_row_will_get() -> None:
    record = keyed(None, offset=7)
    u = share(drawing(SALT)(record.row_id.encode()))

    assert by_key(u + 1e-9).draw(record) != by_key(u - 1e-9).draw(record)


def test_each_scorer_has_the_smaller_of_the_rows_probability_and_its_own() -> None:
    sampler = by_key(0.5, faithfulness=None, factual_accuracy=0.01, citation_accuracy=0.9)

    assert sampler.chances(BASE) == {
        "faithfulness": 0.5,
        "factual_accuracy": 0.01,
        "citation_accuracy": 0.5,
    }


@given(st.binary(min_size=1, max_size=40), st.floats(0.001, 1), st.floats(0.001, 1))
def test_what_a_low_rate_keeps_a_higher_rate_keeps_too(key: bytes, one: float, two: float) -> None:
    low, high = sorted((one, two))
    drawn = by_key(high, rare=low, common=None).draw(keyed(key))

    assert isinstance(drawn, Draw)
    names = [chance.scorer for chance in drawn.drawn]
    assert names in ([], ["common"], ["common", "rare"], ["rare", "common"])


def body(trace_id: str = "order-123", at: int = 5, **labels: str) -> BodySampler:
    return BodySampler(
        SALT,
        0.0001,
        [Stratum("thumbs-down", {"feedback": frozenset({"down"})}, 1.0)],
        {"faithfulness": None},
        lambda rows: [
            Head(trace_id, at, "row", Profile("shop", "production", labels, {})) for _ in rows
        ],
    )


def test_the_first_stratum_that_holds_gives_the_probability() -> None:
    down, up = body(feedback="down"), body(feedback="up")

    assert down.draw(keyed(None)) == Draw(
        "shop/production", "thumbs-down", (Chance("faithfulness", 1.0),), 5
    )
    assert up.draw(keyed(None)) == Draw("shop/production", BASE, (), 5)


def test_a_row_that_cannot_be_read_is_not_drawn_but_rejected() -> None:
    rejection = Rejection("not_json", "")
    sampler = BodySampler(SALT, 1.0, [], {"faithfulness": None}, lambda _: [rejection])

    assert sampler.draw(keyed(None)) is rejection
