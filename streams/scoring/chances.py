"""With what probability each scorer draws a row of a stratum. Pure."""

from collections.abc import Mapping
from typing import NamedTuple

from streams.scoring.drawing import bound_of


class Chance(NamedTuple):
    """A scorer that drew a row, and with what probability."""

    scorer: str
    probability: float


class Chances:
    """The scorers of one stratum by falling probability: a draw keeps a leading part of them."""

    def __init__(self, stratum: str, chances: Mapping[str, float]) -> None:
        self.stratum, self.by_scorer = stratum, dict(chances)
        ordered = [Chance(*item) for item in sorted(chances.items(), key=lambda c: (-c[1], c[0]))]
        self._bounds = [bound_of(chance.probability) for chance in ordered]
        self._kept = [tuple(ordered[:n]) for n in range(len(ordered) + 1)]
        self.most = self._bounds[0] if ordered else b""
        """What all draws are below that some scorer keeps."""

    def kept(self, u: bytes) -> tuple[Chance, ...]:
        """Return the scorers whose probability is above a draw."""
        n = 0
        for bound in self._bounds:
            if u >= bound:
                break
            n += 1
        return self._kept[n]


def chances(stratum: str, probability: float, scorers: Mapping[str, float | None]) -> Chances:
    """Combine a stratum's probability with each scorer's own: the smaller one counts."""
    own = {name: min(probability, own or 1.0) for name, own in scorers.items()}
    return Chances(stratum, own)
