"""Whether a claim that a judge extracted comes from the answer at all, or from somewhere else."""

import re

ENOUGH = 1 / 3
"""The share of a claim's letter triples that its answer must have. Rewording leaves more."""

_NO_LETTERS = re.compile(r"[\W_]+")


def strange(claim: str, answer: str) -> bool:
    """Say whether claim and answer have next to nothing in common, in any script.

    A claim in another language than the answer is strange too. A very short one never is.
    """
    wanted = _triples(claim)
    return bool(wanted) and len(wanted & _triples(answer)) < ENOUGH * len(wanted)


def _triples(text: str) -> set[str]:
    letters = _NO_LETTERS.sub(" ", text.casefold()).strip()
    return {letters[n : n + 3] for n in range(len(letters) - 2)}
