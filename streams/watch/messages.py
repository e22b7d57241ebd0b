"""From a pane as it is kept to a pane as it is published."""

from schemas.pane import BINS, Pane, Segment
from schemas.wire import from_milliseconds
from streams.watch.panes.ledger import LedgerPane
from streams.watch.panes.pane import SECOND, PaneKey, ScorePane


def message_of(key: PaneKey, pane: ScorePane | LedgerPane) -> Pane:
    """Return the message that tells what a pane has come to."""
    return _scores(key, pane) if isinstance(pane, ScorePane) else _ledger(key, pane)


def _scores(key: PaneKey, pane: ScorePane) -> Pane:
    family = key.family
    name, _, value = family.segment.partition("=")
    first, last = pane.first_at, pane.last_at
    return Pane(
        assistant=family.assistant,
        scorer=family.scorer,
        judge=pane.speaker.judge,
        series=family.series,
        segment=Segment(name=name, value=value) if name else None,
        start=from_milliseconds(key.start),
        length_s=key.length // SECOND,
        run=family.run or None,
        final=pane.final,
        offset=pane.last,
        late=pane.late,
        strata=pane.strata,
        counts=pane.counts,
        outcomes=pane.outcomes,
        reasons=pane.reasons,
        flags=pane.flags,
        histogram=tuple(pane.histogram.get(at, 0) for at in range(BINS)),
        exemplars=tuple(worst.exemplar() for worst in pane.worst),
        first_at=None if first is None else from_milliseconds(first),
        last_at=None if last is None else from_milliseconds(last),
    )


def _ledger(key: PaneKey, pane: LedgerPane) -> Pane:
    settled = pane.settled()
    return Pane(
        assistant=key.family.assistant,
        start=from_milliseconds(key.start),
        length_s=key.length // SECOND,
        run=key.family.run or None,
        final=pane.final,
        offset=pane.last,
        late=pane.late,
        ledger=settled.flows,
        rejected=settled.rejected,
    )
