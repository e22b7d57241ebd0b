"""How questions about one text share requests, so that none is longer than the model can read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scorers.judges.typed import Choice, Levels, TypedQuestion

_BYTES_A_TOKEN = 2
"""Fewer than people's texts have: English has three or four bytes a token, and Chinese three for
each of one or two letters. Rows of digits and rare scripts may have fewer; then a model may refuse
what was thought to fit, and gets it in smaller chunks."""


class TooLongError(Exception):
    """The text and one of its questions are more than the model can read."""


@dataclass(frozen=True, slots=True)
class Room:
    """What may be asked at once: tokens of text and one question, tokens and questions in all."""

    context_tokens: int = 32_000
    request_tokens: int = 64_000
    questions: int = 32


def estimate(text: str) -> int:
    """Return at most how many tokens a text has, by its bytes."""
    return -(-len(text.encode()) // _BYTES_A_TOKEN)


def weight(question: TypedQuestion) -> int:
    """Return at most how many tokens a question has."""
    match question:
        case Choice(options=options):
            more = [f"{name}{text}" for name, text in options]
        case Levels(levels=levels):
            more = list(levels)
        case _:
            more = []
    return sum(map(estimate, (question.instructions, *more)))


def batches(
    state: str, questions: Mapping[str, TypedQuestion], room: Room
) -> Iterator[dict[str, TypedQuestion]]:
    """Yield the questions in groups that fit, in order. Raises TooLongError."""
    about = estimate(state)
    batch: dict[str, TypedQuestion] = {}
    taken = about
    for name, question in questions.items():
        more = weight(question)
        if about + more > min(room.context_tokens, room.request_tokens):
            raise TooLongError
        if batch and (len(batch) >= room.questions or taken + more > room.request_tokens):
            yield batch
            batch, taken = {}, about
        batch[name] = question
        taken += more
    if batch:
        yield batch
