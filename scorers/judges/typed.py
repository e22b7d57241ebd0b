"""Questions whose answers are probabilities, and those answers: what both wire shapes carry."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

YES = "yes"


@dataclass(frozen=True, slots=True)
class YesNo:
    """Does it hold? The answer is the probability of YES alone."""

    instructions: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of the options, each with what it means (None: what it says)?"""

    instructions: str
    options: tuple[tuple[str, str | None], ...]

    @property
    def turned(self) -> "Choice":
        """The same question with its options in reverse."""
        return replace(self, options=self.options[::-1])


@dataclass(frozen=True, slots=True)
class Levels:
    """Which level, from the lowest to the highest? Answers name them "0", "1" and so on."""

    instructions: str
    levels: tuple[str, ...]


TypedQuestion = YesNo | Choice | Levels


@dataclass(frozen=True, slots=True)
class Told:
    """The probability of each answer, and the `mass` of all that the model believes in them."""

    probabilities: Mapping[str, float]
    mass: float | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """The model would not answer this one."""


TypedAnswer = Told | Refused


def outcomes(question: TypedQuestion) -> tuple[str, ...]:
    """Return the answers that a question has."""
    match question:
        case YesNo():
            return (YES,)
        case Choice(options=options):
            return tuple(name for name, _ in options)
        case Levels(levels=levels):
            return tuple(map(str, range(len(levels))))
