"""With what probability each scorer draws a row of a stratum. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from streams.scoring.drawing import bound_of
from streams.scoring.factors import UNCHANGED, Factors


class Chance(NamedTuple):
    """A scorer that drew a row, and with what probability."""

    scorer: str
    probability: float


class Chances:
    """The scorers of one stratum by falling probability: a draw keeps a leading part of them."""

    def __init__(self, stratum: str, chances: Mapping[str, float], *, factor: float = 1.0) -> None:
        """`chances` as the settings have them; `factor` in (0, 1] is what they are lowered by."""
        self.stratum = stratum
        self.by_scorer = {name: chance * factor for name, chance in chances.items()}
        ordered = [
            Chance(*item) for item in sorted(self.by_scorer.items(), key=lambda c: (-c[1], c[0]))
        ]
        self._bounds = [bound_of(chance.probability) for chance in ordered]
        self._kept = [tuple(ordered[:n]) for n in range(len(ordered) + 1)]
        self.most = self._bounds[0] if ordered else b""
        """What all draws are below that some scorer keeps."""
        self.widest = bound_of(max(chances.values())) if ordered else b""
        """What all draws are below that some scorer would keep if nothing were lowered."""

    def kept(self, u: bytes) -> tuple[Chance, ...]:
        """Return the scorers whose probability is above a draw."""
        n = 0
        for bound in self._bounds:
            if u >= bound:
                break
            n += 1
        return self._kept[n]


@dataclass(slots=True)
class Odds:
    """The chances of all strata (`probabilities` by name), lowered by the `factors` in force.

    Of a stratum's probability and a scorer's own (None: it has none) the smaller one counts.
    """

    probabilities: Mapping[str, float]
    scorers: Mapping[str, float | None]
    factors: Factors = UNCHANGED
    _known: dict[tuple[str, float], Chances] = field(default_factory=dict, init=False)

    def of(self, stratum: str, assistant: str | None = None) -> Chances:
        """Return the chances in force for an assistant; without one, those of the settings."""
        factor = 1.0 if assistant is None else self.factors.of(assistant)
        found = self._known.get((stratum, factor))
        if found is None:  # there are few factors, so all that were met are kept
            most = self.probabilities[stratum]
            own = {name: min(most, own or 1.0) for name, own in self.scorers.items()}
            found = self._known[stratum, factor] = Chances(stratum, own, factor=factor)
        return found
