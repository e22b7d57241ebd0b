"""Which rows are worth a judge's time, decided before they are read.

One draw serves all scorers, so what a low rate keeps a higher one keeps too, and a replay keeps the
same rows.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from schemas.rejection import Rejection
from streams.batch import Parsed, parsed, published
from streams.intake.head import MAX_PROFILES, Head, Profile
from streams.ports import Record
from streams.scoring.chances import Chances, Odds
from streams.scoring.drawing import drawing
from streams.scoring.draws import MINUTE_MS, Cell, Draw, Draws
from streams.scoring.factors import Factors

BASE = "base"
"""The stratum of a row that no configured stratum names."""


class Sampler(Protocol):
    """Decides from a record alone, the same way on every worker and in every replay."""

    by: Literal["body", "key"]
    salt: str

    def draws(self, batch: Sequence[Record]) -> Draws:
        """Draw for a whole batch: the hot path, where most rows are left with a hash."""
        ...

    def draw(self, record: Record) -> Draw | Rejection:
        """Return the draw, or why the row cannot be read far enough to be drawn."""
        ...

    def chances(self, stratum: str, assistant: str | None = None) -> Mapping[str, float]:
        """Return each scorer's probability in a stratum: the setting's, or an assistant's now."""
        ...

    def lower(self, factors: Factors) -> None:
        """Draw with probabilities lowered by these factors from now on."""
        ...


@dataclass(frozen=True, slots=True)
class Stratum:
    """Rows that are sampled apart. `when` maps a field of the row to the values that it may have.

    `probability` in (0, 1].
    """

    name: str
    when: Mapping[str, frozenset[str]]
    probability: float

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Say whether a row with these labels belongs here."""
        return all(labels.get(name) in values for name, values in self.when.items())


@dataclass(slots=True)
class KeySampler:
    """Decides by the record's key (the trace id) and touches no body. One assistant, no strata."""

    salt: str
    probability: float
    assistant: str
    scorers: Mapping[str, float | None]
    by: Literal["body", "key"] = field(default="key", init=False)
    _draw: Callable[[bytes], bytes] = field(init=False)
    _odds: Odds = field(init=False)
    _chances: Chances = field(init=False)

    def __post_init__(self) -> None:
        self._draw = drawing(self.salt)
        self._odds = Odds({BASE: self.probability}, self.scorers)
        self._chances = self._odds.of(BASE)

    def draws(self, batch: Sequence[Record]) -> Draws:
        """Draw for a whole batch."""
        draw, most, widest = self._draw, self._chances.most, self._chances.widest
        rows, known = parsed(batch), published(batch)
        us = [draw(row.key or batch[n].row_id.encode()) for n, row in enumerate(rows)]
        near = {n for n, u in enumerate(us) if u < widest} if min(us) < widest else set()
        kept = near if most == widest else {n for n in near if us[n] < most}
        kept = kept | known
        others: dict[int, Draw | Rejection] = {n: self._drawn(us[n]) for n in sorted(kept)}
        times = [row.timestamp for row in rows]
        shed = Counter(self._cell(times[n] // MINUTE_MS) for n in near - kept)
        return Draws(self._passed(times, others), others, times, shed)

    def _passed(self, times: Sequence[int], others: Mapping[int, object]) -> dict[Cell, int]:
        minute = min(times) // MINUTE_MS
        if minute == max(times) // MINUTE_MS:  # nearly always, and then no row needs a look
            minutes = {minute: len(times) - len(others)}
        else:
            minutes = Counter(at // MINUTE_MS for n, at in enumerate(times) if n not in others)
        return {self._cell(minute): rows for minute, rows in minutes.items()}

    def _cell(self, minute: int) -> Cell:
        return Cell(self.assistant, BASE, minute)

    def draw(self, record: Record) -> Draw | Rejection:
        """Draw by the key. A record without one is drawn by the id that its row will get."""
        return self._drawn(self._draw(record.key or record.row_id.encode()))

    def _drawn(self, u: bytes) -> Draw:
        return Draw(self.assistant, BASE, self._chances.kept(u))

    def chances(self, stratum: str, assistant: str | None = None) -> Mapping[str, float]:
        """Return each scorer's probability."""
        return self._odds.of(stratum, assistant).by_scorer

    def lower(self, factors: Factors) -> None:
        """Draw with lowered probabilities from now on."""
        self._odds.factors = factors
        self._chances = self._odds.of(BASE, self.assistant)


@dataclass(slots=True)
class BodySampler:
    """Decides by the trace id and the labels in the body, after a partial reading."""

    salt: str
    probability: float
    strata: Sequence[Stratum]
    scorers: Mapping[str, float | None]
    read: Callable[[Sequence[Parsed]], Sequence[Head | Rejection]]
    by: Literal["body", "key"] = field(default="body", init=False)
    _draw: Callable[[bytes], bytes] = field(init=False)
    _odds: Odds = field(init=False)
    _of_profile: dict[Profile, Chances] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._draw = drawing(self.salt)
        of_strata = {stratum.name: stratum.probability for stratum in self.strata}
        self._odds = Odds({BASE: self.probability, **of_strata}, self.scorers)

    def draws(self, batch: Sequence[Record]) -> Draws:
        """Draw for a whole batch."""
        passed: list[Head] = []
        shed: list[Head] = []
        others: dict[int, Draw | Rejection] = {}
        times: list[int] = []
        rows, draw, known, begun = parsed(batch), self._draw, self._of_profile, published(batch)
        for n, (row, head) in enumerate(zip(rows, self.read(rows), strict=True)):
            stamp = row.timestamp
            if isinstance(head, Rejection):
                others[n] = head
                times.append(stamp)
                continue
            at, profile = head.at, head.profile
            times.append(at if at < stamp else stamp)
            u = draw((head.trace_id or batch[n].row_id).encode())
            of = known.get(profile) or self._found(profile)
            if u >= of.widest and n not in begun:
                passed.append(head)
            elif u < of.most or n in begun:
                others[n] = Draw(profile.assistant, of.stratum, of.kept(u), at)
            else:
                shed.append(head)
        return Draws(self._cells(passed + shed), others, times, self._cells(shed))

    def _cells(self, heads: Sequence[Head]) -> dict[Cell, int]:
        times = [head.at for head in heads] or [0]
        minute = min(times) // MINUTE_MS
        counted: Mapping[tuple[Profile, int], int]
        if minute == max(times) // MINUTE_MS:  # nearly always, and then profiles alone are counted
            profiles = Counter([head.profile for head in heads])
            counted = {(profile, minute): rows for profile, rows in profiles.items()}
        else:
            counted = Counter((head.profile, head.at // MINUTE_MS) for head in heads)
        cells: defaultdict[Cell, int] = defaultdict(int)
        for (profile, minute), rows in counted.items():
            cells[Cell(profile.assistant, self._found(profile).stratum, minute)] += rows
        return cells

    def draw(self, record: Record) -> Draw | Rejection:
        """Draw by the trace id, with the probability of the first stratum that holds."""
        (head,) = self.read([record])
        if isinstance(head, Rejection):
            return head
        of = self._found(head.profile)
        u = self._draw((head.trace_id or record.row_id).encode())
        return Draw(head.profile.assistant, of.stratum, of.kept(u), head.at)

    def _found(self, profile: Profile) -> Chances:
        """Return the chances of the first stratum that holds rows of this profile."""
        found = self._of_profile.get(profile)
        if found is None:
            names = (stratum.name for stratum in self.strata if stratum.holds(profile.labels))
            if len(self._of_profile) >= MAX_PROFILES:
                self._of_profile.clear()
            found = self._of_profile[profile] = self._odds.of(next(names, BASE), profile.assistant)
        return found

    def chances(self, stratum: str, assistant: str | None = None) -> Mapping[str, float]:
        """Return each scorer's probability in a stratum."""
        return self._odds.of(stratum, assistant).by_scorer

    def lower(self, factors: Factors) -> None:
        """Draw with lowered probabilities from now on."""
        self._odds.factors = factors
        self._of_profile.clear()
