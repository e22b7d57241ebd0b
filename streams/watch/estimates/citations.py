"""Citation precision and recall over many answers, from what panes count."""

from collections.abc import Mapping
from dataclasses import dataclass

from streams.watch.estimates.rates import Rate, wilson


@dataclass(frozen=True, slots=True)
class Citations:
    """The sums of citation counts over a window's answers; each sentence weighs the same.

    `cited` sentences cite something and were decided, `supported` of them hold, `eligible` owe a
    citation, `fabricated` cite a source that is not there. Answers weigh alike here, whatever their
    probability was: panes do not keep counts by stratum.
    """

    cited: int
    supported: int
    eligible: int
    fabricated: int

    @property
    def precision(self) -> float | None:
        """The share of cited sentences that their sources support (micro-averaged)."""
        return self.supported / self.cited if self.cited else None

    @property
    def recall(self) -> float | None:
        """The share of sentences that owe a citation and have one that holds (micro-averaged)."""
        return self.supported / self.eligible if self.eligible else None

    def fabricated_share(self, *, answers: int, n_eff: float, z: float) -> Rate | None:
        """Return the share of cited sentences whose source is not there, None without any.

        An answer's sentences stand and fall together, so Wilson's limits count answers.
        """
        if not self.cited or n_eff <= 0:
            return None
        share = min(1.0, self.fabricated / self.cited)
        return Rate(share, *wilson(share, n_eff, z=z), answers, n_eff)


def citations_of(counts: Mapping[str, int]) -> Citations:
    """Return the sums of the counts that citation accuracy keeps."""
    return Citations(
        cited=counts.get("cited", 0),
        supported=counts.get("supported", 0),
        eligible=counts.get("eligible", 0),
        fabricated=counts.get("fabricated_sentences", 0),
    )
