"""A stream of two strata whose truth is known, from rows to the rate that an alert is held to."""

from datetime import timedelta
from math import sqrt
from random import Random
from typing import NamedTuple

import pytest

from streams.watch.fold import Watch
from streams.watch.options import Options
from tests.streams.watch.records import SCORER, SHOP, a_mark, a_score, a_tally, at, bad, good


class Stratum(NamedTuple):
    """Rows an hour, the chance of each to be judged, and the share that is bad."""

    rows: int
    chance: float
    bad: float


STRATA = {"thumbs-down": Stratum(2_000, 0.5, 0.30), "base": Stratum(18_000, 0.02, 0.03)}


@pytest.fixture(scope="module")
def hour() -> tuple[Watch, float, float]:
    """Return a watch told of an hour, the share of its rows that was bad, and the error of that."""
    watch, random, offset, truth, variance = Watch(Options()), Random(4), 0, 0, 0.0
    total = sum(stratum.rows for stratum in STRATA.values())
    for partition, (name, (rows, chance, share)) in enumerate(STRATA.items()):
        drawn_before, drawn = 0, 0
        for row in range(rows):
            second = 3600 * row / rows
            is_bad = random.random() < share
            truth += is_bad
            if random.random() < chance:
                drawn += 1
                event = a_score(
                    row,
                    second,
                    bad() if is_bad else good(),
                    stratum=name,
                    probability=chance,
                    partition=partition,
                )
                watch.fold(event, offset=offset)
                offset += 1
            if (row + 1) % (rows // 60) == 0:
                tally = a_tally(
                    second // 60 * 60,
                    rows=(row + 1 - rows // 60, row + 1),
                    sampled=drawn - drawn_before,
                    stratum=name,
                    partition=partition,
                )
                watch.fold(tally, offset=offset)
                offset, drawn_before = offset + 1, drawn
        variance += (rows / total) ** 2 * share * (1 - share) / drawn
    watch.fold(a_mark(3720, scores=offset))
    return watch, truth / total, sqrt(variance)


def test_the_estimate_is_within_three_standard_errors_of_the_truth(
    hour: tuple[Watch, float, float],
) -> None:
    watch, truth, error = hour

    rate = watch.window(SHOP, SCORER, length=timedelta(hours=1), at=at(3600)).rate()

    assert rate is not None
    assert abs(rate.value - truth) < 3 * error
    assert rate.lower < truth < rate.upper
    assert error < 0.01


def test_the_plain_share_of_what_was_judged_is_visibly_wrong(
    hour: tuple[Watch, float, float],
) -> None:
    watch, truth, error = hour
    view = watch.window(SHOP, SCORER, length=timedelta(hours=1), at=at(3600))
    cells = [cell for by in view.strata.values() for cell in by.values()]

    plain = sum(cell.bad for cell in cells) / sum(cell.rated for cell in cells)

    assert plain > 3 * truth
    assert plain - truth > 15 * error
