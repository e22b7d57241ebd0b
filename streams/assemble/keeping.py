"""Which traces are worth waiting for: all that scoring could ever draw, and no others. Pure.

The draw of a row depends on its trace id alone; what it is compared with depends on the row, which
is not there yet. So a trace is kept if the most that any stratum and scorer asks for would draw it:
what scoring draws is always among these. They are a fair sample, whatever is in them, so shares of
strata and rates come out as if all rows were on the topic; counts of rows are those of kept rows.
"""

from collections.abc import Mapping

from streams.assemble.otlp import Keep, every_trace
from streams.scoring.chances import Odds
from streams.scoring.drawing import bound_of, drawing


def keeping(salt: str, strata: Mapping[str, float], scorers: Mapping[str, float | None]) -> Keep:
    """Return what says of a trace id whether scoring with these settings might draw its rows.

    `strata` has each stratum's probability, that of the other rows too; `scorers` each scorer's
    own, None where it has none. Where a stratum asks for every row, every trace is kept.
    """
    odds = Odds(strata, scorers)
    bound = max((odds.of(stratum).widest for stratum in strata), default=b"")
    if bound == bound_of(1.0):
        return every_trace
    draw = drawing(salt)

    def keep(trace_id: str) -> bool:
        return draw(trace_id.encode()) < bound

    return keep
