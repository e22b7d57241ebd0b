"""Sentences of a passage: line by line, by the library that knows the most languages."""

from collections.abc import Iterator

from sentencex import segment  # type: ignore[import-untyped]

from scorers.text.stops import abbreviates

_LONGEST_PIECE = 4000


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the sentences of a text as spans without white space around them, none blank."""
    at = 0
    for line in text.splitlines(keepends=True):
        if not line.isspace():
            yield from _trimmed(line, at)
        at += len(line)


def _trimmed(line: str, offset: int) -> Iterator[tuple[int, int]]:
    at = 0
    for length in sentence_lengths(line):
        piece = line[at : at + length]
        said = piece.strip()
        if said:
            start = offset + at + len(piece) - len(piece.lstrip())
            yield start, start + len(said)
        at += length


def sentence_lengths(text: str) -> Iterator[int]:
    """Yield the lengths of the sentences that fill a line.

    The library is given bounded pieces, for it is not linear on every input. What it parts after
    an abbreviation is put together again.
    """
    at = 0
    while at < len(text):
        piece = text[at : at + _LONGEST_PIECE]
        if at + len(piece) < len(text) and (space := piece.rfind(" ")) > 0:
            piece = piece[: space + 1]
        pending, opens = 0, 0
        found: list[str] = segment("en", piece)
        for sentence in found:
            stop = opens + pending + len(sentence.rstrip()) - 1
            pending += len(sentence)
            if piece[stop : stop + 1] == "." and abbreviates(piece, opens, stop):
                continue
            yield pending
            opens, pending = opens + pending, 0
        if opens < len(piece):
            yield len(piece) - opens
        at += len(piece)
