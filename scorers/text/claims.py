"""What an answer claims: its sentences, without the ones that state nothing."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of an answer, as a judge should read it, and where it stands.

    `text` has no citation markers and carries the lead-in of the list it stands in; `start` and
    `end` are code points of the answer that was given, and hold the statement alone.
    """

    text: str
    start: int
    end: int


def claims(text: str) -> list[Claim]:
    """Return the claims of an answer in order. Linear in the length of the text."""
    found = []
    at = 0
    for line in text.splitlines(keepends=True):
        stripped = line.strip()
        if stripped and not stripped.endswith("?"):
            start = at + line.index(stripped)
            found.append(Claim(text=stripped, start=start, end=start + len(stripped)))
        at += len(line)
    return found
