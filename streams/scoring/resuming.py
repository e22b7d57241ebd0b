"""What an earlier life decided of a row, where it stopped before it could say so. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from streams.scoring.chances import Chance
from streams.scoring.draws import Draw
from streams.scoring.events import Sampled
from streams.scoring.panel import Seat


def resumed(
    row: Sampled, panel: Mapping[str, Seat], chances: Callable[[str], Mapping[str, float]]
) -> tuple[Draw, Sampled]:
    """Return the draw that is to be tallied, and the row with the scorers that are left to do.

    A verdict that is published stands, with the probability that it was drawn by then: its scorer
    counts as having drawn the row, whatever the row's chances are today. Of a row that was finished
    nothing is left, so its scorers are those of its verdicts alone. `chances` are those of a
    stratum.
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
