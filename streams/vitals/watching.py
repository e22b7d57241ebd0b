"""The watch half as a person on call sees it: the rates that the rules see, and what stands."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from schemas.quantities import written_duration
from streams.notify.receivers import Receiver
from streams.telemetry.capped import OTHER, Capped
from streams.telemetry.metrics import ASSISTANT, SCORER, WINDOW, Metric
from streams.telemetry.sample import Sample
from streams.watch.estimates.rates import Rate
from streams.watch.fold import Watch
from streams.watch.partitions import Watches
from streams.watch.windows import WindowView

_ESCALATED = "escalated_"

SEGMENTED = timedelta(hours=1)
"""Of the windows the one nearest to this shows segments too: in all of them there are too many."""

MOST_VALUES = 20
"""Values of segments that are shown of a scorer's answers on an assistant, the busiest first."""


def well() -> str | None:
    """Say that nothing is wrong: of a folder there is nothing to be ready for."""
    return None


@dataclass(frozen=True, slots=True)
class WatchVitals:
    """A `Part`. Assistants beyond the cap have no gauges: their rates cannot be added up."""

    watches: Watches
    windows: Sequence[timedelta]
    assistants: Capped
    clock: Callable[[], datetime]
    trouble: Callable[[], str | None] = well
    receivers: Sequence[Receiver] = ()

    def samples(self) -> Iterator[Sample]:
        """Yield the figures of each window, one assistant and scorer after the other."""
        watches = list(self.watches.partitions.values())
        marks = [watch.watermark for watch in watches]
        if known := [at for at in marks if at is not None]:
            yield Sample(Metric.WATERMARK_AGE, (self.clock() - min(known)).total_seconds())
        yield Sample(Metric.SILENT, len({n for watch in watches for n in watch.stopped}))
        panes = sum(len(one.tables.scores) + len(one.tables.ledgers) for one in watches)
        yield Sample(Metric.PANES, panes)
        for receiver in self.receivers:
            yield Sample(Metric.UNTOLD, receiver.failing, {"receiver": receiver.name})
        for watch in watches:
            yield from self._alerts(watch)
            yield from self._figures(watch)

    def _alerts(self, watch: Watch) -> Iterator[Sample]:
        found: dict[tuple[str, str, str, str], int] = {}
        for subject, alarm in list(watch.tables.alarms.items()):
            if alarm.active:
                assistant = self.assistants(subject.assistant)
                key = (subject.rule, assistant, subject.scorer, str(alarm.state))
                found[key] = found.get(key, 0) + 1
        for (rule, assistant, scorer, status), number in found.items():
            where = {"rule": rule, ASSISTANT: assistant, SCORER: scorer, "status": status}
            yield Sample(Metric.ALERTS, number, where)

    def _figures(self, watch: Watch) -> Iterator[Sample]:
        at = (watch.watermark or self.clock()).replace(second=0, microsecond=0)
        for assistant, scorer in watch.scorers():
            if self.assistants(assistant) == OTHER:
                continue
            for length in self.windows:
                view = watch.window(assistant, scorer, length=length, at=at)
                window = written_duration(length)
                where = {ASSISTANT: assistant, SCORER: scorer, WINDOW: window}
                for metric, value in figures(view):
                    yield Sample(metric, value, where)
                for to, share in escalated(view).items():
                    yield Sample(Metric.ESCALATED_SHARE, share, where | {"to": to})
                if length == self._segmented:
                    yield from self._parts(watch.segments(view), where)

    @property
    def _segmented(self) -> timedelta:
        return min(self.windows, key=lambda length: abs(length - SEGMENTED))

    def _parts(self, views: Sequence[WindowView], where: dict[str, str]) -> Iterator[Sample]:
        for view in sorted(views, key=lambda one: one.n, reverse=True)[:MOST_VALUES]:
            segment, _, value = view.family.segment.partition("=")
            part = where | {"segment": segment, "value": value}
            yield Sample(Metric.PART_N, view.n, part)
            if rate := view.rate():
                three = (Metric.PART_RATE, Metric.PART_LOWER, Metric.PART_UPPER)
                for metric, share in zip(three, _limited(rate), strict=True):
                    yield Sample(metric, share, part)

    def dead(self) -> Iterator[str]:
        """Yield nothing: a host that reads nothing ends by itself."""
        yield from ()

    def unready(self) -> Iterator[str]:
        """Yield what keeps it from reading or writing."""
        if trouble := self.trouble():
            yield trouble


def figures(view: WindowView) -> Iterator[tuple[Metric, float]]:
    """Yield the figures of a window that are known."""
    rate, mean, corrected = view.rate(), view.mean(), view.corrected()
    yield Metric.N, view.n
    if rate is not None:
        yield Metric.N_EFF, rate.n_eff
        yield from zip((Metric.RATE, Metric.LOWER, Metric.UPPER), _limited(rate), strict=True)
    if corrected is not None:
        three = (Metric.CORRECTED, Metric.CORRECTED_LOWER, Metric.CORRECTED_UPPER)
        yield from zip(three, _limited(corrected), strict=True)
    shares: tuple[tuple[Metric, float | None], ...] = (
        (Metric.MEAN, mean.value if mean else None),
        (Metric.JUDGED, view.judged),
        (Metric.ARRIVED, view.seen),
        (Metric.UNDECIDED, view.undecided),
    )
    yield from ((metric, share) for metric, share in shares if share is not None)


def escalated(view: WindowView) -> dict[str, float]:
    """Return the share of a window's claims that each further judge of a cascade was asked for."""
    counts = view.counts
    claims = (counts.get("claims") or counts.get("cited") or 0) + counts.get("undecided", 0)
    return {
        name.removeprefix(_ESCALATED): min(1.0, asked / claims)
        for name, asked in counts.items()
        if name.startswith(_ESCALATED) and claims
    }


def _limited(rate: Rate) -> tuple[float, float, float]:
    return rate.value, rate.lower, rate.upper
