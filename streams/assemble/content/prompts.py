"""What can be told for sure of a prompt: the passages that were put in it, and the question."""

import re
from collections.abc import Sequence
from itertools import pairwise

from streams.assemble.content.passages import MARK, RetrievedDocument

_MARKED_LINE = re.compile(rf"^{MARK}[ \t]+(\S.*)$", re.MULTILINE)
_ANNOUNCED = re.compile(r"\b(?:context|contexts|sources|documents|passages|evidence)\b", re.I)
_QUESTION = re.compile(r"^[ \t]*(?:user[ \t]+)?(?:question|query|q)[ \t]*:[ \t]*", re.I | re.M)
_NEXT = re.compile(
    r"^[ \t]*(?:answer|response|a|context|sources|documents|passages|evidence)[ \t]*:", re.I | re.M
)

MIN_MARKED = 2
"""So many lines with marks of their own are a list of passages."""


def passages_in(prompt: str) -> list[RetrievedDocument] | None:
    """Return the passages of a prompt that announces them and marks each, line by line.

    Anything less is not sure, and None: a chat log has lines with marks too.
    """
    lines = list(_MARKED_LINE.finditer(prompt))
    if len(lines) < MIN_MARKED or len({line[1] for line in lines}) != len(lines):
        return None
    if not _ANNOUNCED.search(prompt, 0, lines[0].start()):
        return None
    between = (prompt[before.end() : after.start()] for before, after in pairwise(lines))
    if any(gap.strip() for gap in between):
        return None
    return [RetrievedDocument(text=line[2].rstrip(), key=line[1]) for line in lines]


def question_of(prompt: str, *, contexts: Sequence[str], query: str | None) -> str:
    """Return the question of what a user's message says: all of it, unless it holds the passages.

    Then it is what stands under the label of a question; or else what was asked of the retriever,
    which may have been put into other words; or else all of it after all.
    """
    held = [context for context in contexts if context in prompt]
    if not held:
        return prompt
    after = max(prompt.rfind(context) + len(context) for context in held)
    labels = [label for label in _QUESTION.finditer(prompt) if label.start() >= after] or list(
        _QUESTION.finditer(prompt)
    )
    if labels:
        asked = prompt[labels[-1].end() :]
        end = _NEXT.search(asked)
        if words := (asked[: end.start()] if end else asked).strip():
            return words
    return query or prompt
