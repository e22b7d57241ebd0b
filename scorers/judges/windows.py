"""How much a judge can read at once, and how much of that a question takes.

Tokens are not counted, for every model has its own: they are estimated from the bytes (`fitting`),
on the safe side for what people write. A model that still says it was too much is believed.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from schemas.trace import Turn
from scorers.judges.chunks import A_PIECE, weigh
from scorers.judges.decision_questions import asking, written
from scorers.judges.dividing import divisible, holding
from scorers.judges.fitting import estimate, weight
from scorers.judges.prompts import encoded, prompt
from scorers.questions import Question, Subject, SupportSentence, VerifyClaims
from scorers.subjects import longest

MAX_TEXT = 200_000
"""Characters of one field that a question holds, by default."""

_STEPS = 8
"""The room for evidence is so many eighths of a window: calls of a row then share their chunks."""

_LEAST = 128
"""Tokens of room below which it is of no use to go on cutting."""

_AGAIN = 128
"""Tokens to spare for a remark on the reply before."""

_A_LETTER, _A_CLAIM = 3, 300
"""The most that these take: a control character is written with six bytes."""


@dataclass(frozen=True, slots=True)
class Window:
    """`tokens` that a request may hold, and `characters` that it may hold of one field.

    `taken` says how many tokens a question about a subject takes at most, its reply included;
    `quoted` writes text as requests do. `writes`: the judge takes answers apart by itself. A window
    that turns out too large may be made smaller `halvings` times.
    """

    tokens: int
    taken: Callable[[Subject], int]
    quoted: Callable[[str], str]
    characters: int = MAX_TEXT
    writes: bool = False
    halvings: int = 3
    _empty: int = field(init=False)

    def __post_init__(self) -> None:
        turn = (Turn(role="", text=""),)
        bare: tuple[Subject, ...] = (VerifyClaims((), (), "", turns=turn), SupportSentence("", ()))
        object.__setattr__(self, "_empty", max(map(self.taken, bare)))

    def fits(self, about: Subject) -> bool:
        """Say whether a subject can be asked about in one piece."""
        if isinstance(about, VerifyClaims | SupportSentence) and self._surely(about):
            return True
        pieces = divisible(about) or ()
        return (
            sum(len(piece.text) for piece in pieces) <= self.characters
            and longest(about) <= self.characters
            and self.taken(about) <= self.tokens
        )

    def _surely(self, about: VerifyClaims | SupportSentence) -> bool:
        """Say whether it is so short that this can be seen without writing the request."""
        letters = sum(len(piece.text) + len(piece.key) for piece in about.evidence)
        claims, pieces = 1, len(about.evidence)
        if isinstance(about, VerifyClaims):
            claims, pieces = len(about.claims), pieces + len(about.turns)
            letters += sum(map(len, about.claims)) + len(about.question or "")
            letters += sum(len(turn.role) + len(turn.text) for turn in about.turns)
        else:
            letters += len(about.sentence)
        most = _A_LETTER * letters + A_PIECE * pieces + _A_CLAIM * claims
        return letters <= self.characters and self._empty + most <= self.tokens

    def room(self, about: Subject) -> int:
        """Return the tokens that are left for what can be divided; 0 where that is too little."""
        bare = holding(about, ())
        if longest(bare) > self.characters:
            return 0
        step = max(1, self.tokens // _STEPS)
        room = (self.tokens - self.taken(bare)) // step * step
        return room if room >= _LEAST else 0

    def weight(self, room: int) -> Callable[[str], int]:
        """Return what a text takes of the room, so that neither tokens nor characters run over."""

        def of_text(text: str) -> int:
            letters = -(-len(text) * room // self.characters)
            return max(estimate(self.quoted(text)), letters)

        return of_text

    def smaller(self, about: Subject) -> "Window | None":
        """Return a window with half the room that the subject took; None where it ends."""
        pieces = divisible(about)
        if not self.halvings or pieces is None:
            return None
        fixed, room = self.taken(holding(about, ())), self.room(about)
        half = min(room, weigh(pieces, self.weight(room or 1))) // 2
        if half < _LEAST:
            return None
        # One more step than the room: what is left over of a step is not used.
        tokens = (fixed + half) * _STEPS // (_STEPS - 1)
        return replace(self, tokens=tokens, halvings=self.halvings - 1)


@dataclass(slots=True)
class Reach:
    """How much an endpoint turned out to read: what one row was refused for, others need not be.

    None: as much as its settings say.
    """

    window: Window | None = None

    def of(self, window: Window) -> Window:
        """Return the smaller of that and the given one."""
        known = self.window
        return window if known is None or window.tokens <= known.tokens else known


def chat_window(tokens: int, characters: int = MAX_TEXT) -> Window:
    """Return the window of a chat model, which holds the messages and the longest reply."""

    def taken(about: Subject) -> int:
        asked = prompt(Question(about, _unread, row=""), secret=b"")
        return estimate(asked.system) + estimate(asked.user) + asked.max_tokens + _AGAIN

    return Window(tokens, taken, encoded, characters, writes=True)


def decisions_window(tokens: int, characters: int = MAX_TEXT) -> Window:
    """Return the window of a decision model, which holds a text and one question at a time."""

    def taken(about: Subject) -> int:
        asked = asking(about)
        if asked is None:
            return 0  # it is for the judge to say that it cannot answer
        return estimate(asked.state) + max(map(weight, asked.questions.values()), default=0)

    return Window(tokens, taken, written, characters)


def _unread(reply: object) -> object:
    return reply
