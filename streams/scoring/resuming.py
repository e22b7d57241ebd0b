"""What an earlier life decided of a row, where it stopped before it could say so. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from schemas.rejection import Rejection
from streams.ports import Record
from streams.scoring.chances import Chance
from streams.scoring.draws import Draw
from streams.scoring.events import Sampled
from streams.scoring.panel import Seat

Chances = Callable[[str], Mapping[str, float]]
"""The chance of each scorer in a stratum."""


def resumed(
    record: Record, row: Sampled | Rejection, panel: Mapping[str, Seat], chances: Chances
) -> tuple[Draw | Rejection, Sampled | Rejection | None]:
    """Return what is to be tallied of a row, and what is left to do of it: None where nothing is.

    What an earlier life has dealt with is tallied again, and not paid again.
    """
    if isinstance(row, Rejection):
        return row, None if record.finished else row
    draw = row.draw
    if record.finished or record.published:
        draw, row = _without_published(row, panel, chances)
    return draw, row if row.draw.drawn else None


def _without_published(
    row: Sampled, panel: Mapping[str, Seat], chances: Chances
) -> tuple[Draw, Sampled]:
    """Return the draw that is to be tallied, and the row with the scorers that are left to do.

    A verdict that is published stands, with the probability that it was drawn by then: its scorer
    counts as having drawn the row, whatever the row's chances are today. Of a row that was finished
    nothing is left, so its scorers are those of its verdicts alone.
    """
    record, drawn = row.record, row.draw.drawn
    published = {
        name for name, seat in panel.items() if seat.event_id(row.trace) in record.published
    }
    left = tuple(
        chance for chance in drawn if not record.finished and chance.scorer not in published
    )
    stands = tuple(
        Chance(name, p) for name, p in chances(row.draw.stratum).items() if name in published
    )
    return (
        row.draw._replace(drawn=stands + left),
        replace(row, draw=row.draw._replace(drawn=left)),
    )
