"""Frames that put a question another way without changing what is asked, and which one a row gets.

Rules for every frame: one slot; no new fact, doubt or suggestion of an answer; the same language,
scope and form of question; at most 160 characters of its own. Raise VERSION with every change.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.identity import hash_of
from scorers.parameters import ParameterError

VERSION = "1"

SLOT = "{query}"


@dataclass(frozen=True, slots=True)
class Template:
    """A frame with one slot. `id` names it in the outcome: its family and number."""

    id: str
    text: str

    def __post_init__(self) -> None:
        """Refuse a frame that does not have exactly one slot."""
        if self.text.count(SLOT) != 1:
            raise ParameterError("templates", f"must hold {SLOT} exactly once: {self.id}")

    @property
    def family(self) -> str:
        """The kind of frame."""
        return self.id.rpartition("-")[0]

    def fill(self, query: str) -> str:
        """Put the query in, as it is but for white space around it. Nothing in it is a slot."""
        before, _, after = self.text.partition(SLOT)
        return f"{before}{query.strip()}{after}".strip()


def pick(
    templates: Sequence[Template], *, salt: str, scorer_version: str, record_id: str
) -> Template:
    """Return the frame of a record: the same whenever it is judged again."""
    drawn = int(hash_of([salt, scorer_version, record_id], size=8), 16)
    return templates[drawn % len(templates)]


_FRAMES = {
    "verification_request": (
        "Please check the facts before you answer this: {query}",
        "I would like to verify something. {query}",
        "For verification, please answer the following: {query}",
    ),
    "citation_request": (
        "{query} Please say where the information comes from.",
        "Please name your sources when you answer this: {query}",
        "Could you answer this and cite what you rely on? {query}",
    ),
    "third_party": (
        "A friend of mine asks: {query}",
        "A colleague has sent me this question. {query}",
        "I am asking on behalf of someone else: {query}",
    ),
    "formal": (
        "I would be grateful if you could answer the following question. {query}",
        "May I kindly ask you the following: {query}",
        "I am writing with this enquiry: {query}",
    ),
    "casual": (
        "Hey, quick one: {query}",
        "Hi there! {query} Thanks!",
        "Just wondering: {query}",
    ),
    "indirect_question": (
        "I would like to have an answer to this: {query}",
        "There is something I want to find out. {query}",
        "What I am asking myself is this: {query}",
    ),
    "time_pressed": (
        "I only have a minute. {query}",
        "I am in a hurry, so please be quick: {query}",
        "My train leaves soon. {query}",
    ),
    "newcomer": (
        "I am new to all this. {query}",
        "This is my first time here: {query}",
        "I have not dealt with this before. {query}",
    ),
    "for_the_record": (
        "For the record: {query}",
        "I am keeping notes on this. {query}",
        "Please answer this for my files: {query}",
    ),
    "polite_non_native": (
        "Excuse me please, English is not my first language. {query}",
        "Sorry for my English, I want to ask: {query}",
        "Please, I have question: {query} Thank you very much.",
    ),
    "recap": (
        "As before, my question is: {query}",
        "To come back to it once more: {query}",
        "Let me ask it again so that we have it in one place: {query}",
    ),
    "meta": (
        "Someone will read your answer carefully afterwards. {query}",
        "Your answer to this will be looked at by another person: {query}",
        "This question and its answer will be reviewed later. {query}",
    ),
}

TEMPLATES: tuple[Template, ...] = tuple(
    Template(id=f"{family}-{number}", text=text)
    for family, texts in _FRAMES.items()
    for number, text in enumerate(texts, 1)
)
"""All frames, in a fixed order: a record's pick is an index into it."""
