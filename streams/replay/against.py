"""Reading both sides of a comparison from their topics: verdicts first, the flips' texts after."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from schemas.run import Run
from schemas.score import ScoreEvent
from streams.address import LIVE, MODE, Topics, mode, run_named
from streams.glance import Glance
from streams.replay.comparison import ScorerComparison, compared
from streams.replay.flips import Flip, flip, plain, worth_showing
from streams.replay.matching import matched
from streams.replay.notes import notes
from streams.replay.pairs import Verdict
from streams.replay.runs import Runs
from streams.replay.sides import Side, covered, everything
from streams.settings.problems import closest


class NothingToCompareError(Exception):
    """The two sides have no row in common. The message says why, and what there is."""


@dataclass(frozen=True, slots=True)
class Report:
    """A run (`after`) held against live traffic or another run (`before`), and what to know of it.

    `flips` are the worst of each scorer, in order; `notes` what makes the figures less than whole.
    """

    after: str
    before: str
    scorers: tuple[ScorerComparison, ...]
    flips: tuple[Flip, ...]
    notes: tuple[str, ...]


async def read_report(glance: Glance, topics: Topics, *, run: str, against: str) -> Report:
    """Compare what the scores topic holds of both. Raises NothingToCompareError.

    `against` is the name of a run, or `live`.
    """
    if run == against:
        raise NothingToCompareError(f"{run} against itself: name another run, or {LIVE}")
    shards: defaultdict[str, list[Run]] = defaultdict(list)
    for manifest in (await Runs(glance, topics.runs).latest()).values():
        shards[manifest.run].append(manifest)
    live = against == LIVE
    before = Side(None if live else against, covered(shards.get(run, ())))
    after = Side(run, everything if live else covered(shards.get(against, ())))
    seen = await _read(glance, topics.scores, (before, after))
    for name in (run,) if live else (run, against):
        _refuse_unknown(name, sorted(seen | shards.keys()), topics)
    pairs, only_before, only_after = matched(before, after)
    if not pairs:
        raise NothingToCompareError(
            f"{run} and {against} have no row in common: {only_after.total():,} verdicts of {run}, "
            f"{only_before.total():,} of {against}, and {before.outside + after.outside:,} on rows "
            "that only one of them covers"
        )
    found = compared(pairs, only_before, only_after)
    return Report(
        after=run,
        before=against,
        scorers=tuple(found),
        flips=tuple(await _Texts(glance, topics.scores).flips(found)),
        notes=tuple(map(plain, notes((before, after), found, shards))),
    )


async def refuse_unknown_run(glance: Glance, topics: Topics, run: str) -> None:
    """Raise NothingToCompareError where neither a manifest nor a verdict is of that run."""
    known = {manifest.run for manifest in await Runs(glance, topics.runs).all()}
    if run not in known:  # its manifest may be gone; all the scores are read for that only
        known |= await _read(glance, topics.scores, ())
    _refuse_unknown(run, sorted(known), topics)


async def _read(glance: Glance, topic: str, sides: Sequence[Side]) -> set[str]:
    """Let each side take its records, and return the runs that any score or tally is of."""
    by_mode = {mode(side.run): side for side in sides}
    seen = set[bytes]()
    for partition in sorted(await glance.sizes(topic)):
        async for records in glance.onwards(topic, partition):
            for record in records:
                headers = dict(record.headers)
                seen.add(headers.get(MODE, b""))
                if side := by_mode.get(headers.get(MODE, b"")):
                    side.take(record, headers)
    return {run for one in seen if (run := run_named(one)) is not None}


def _refuse_unknown(name: str, there: Sequence[str], topics: Topics) -> None:
    if name not in there:
        runs = plain(", ".join(there)) or "none"
        raise NothingToCompareError(
            f"there is no run {name} on {topics.runs} or {topics.scores}; runs are: {runs}"
            + closest(name, map(plain, there))
        )


@dataclass(frozen=True, slots=True)
class _Texts:
    """Finds the events of flips again by where they lie: their texts are not kept meanwhile."""

    glance: Glance
    topic: str

    async def flips(self, found: Sequence[ScorerComparison]) -> list[Flip]:
        """Return the worst flips of each scorer whose events are still there."""
        flips = []
        for pair in (pair for one in found for pair in worth_showing(one.flipped)):
            before, after = await self._event(pair.before), await self._event(pair.after)
            if before and after and (read := flip(pair, before, after)):
                flips.append(read)
        return flips

    async def _event(self, verdict: Verdict) -> ScoreEvent | None:
        record = await self.glance.at(self.topic, *verdict.place)
        try:
            return None if record is None else ScoreEvent.model_validate_json(record.value or b"")
        except ValidationError:
            return None
