"""Reading the dead letters, from outside any group: nothing is committed."""

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass

from streams.dead.letters import DeadLetter, Wanted, letter_of, noted
from streams.glance import Glance
from streams.ports import Record


@dataclass(frozen=True, slots=True)
class Selection:
    """The letters that were asked for: those that wait, oldest first, and where others went.

    `sent_back` counts by reason the letters that were sent back already.
    """

    waiting: tuple[DeadLetter, ...]
    sent_back: Counter[str]

    def counts(self) -> list[tuple[str, int, int]]:
        """Return reason, how many wait and how many were sent back, the most first."""
        waits = Counter(letter.reason for letter in self.waiting)
        reasons = waits.keys() | self.sent_back.keys()
        counted = ((reason, waits[reason], self.sent_back[reason]) for reason in reasons)
        return sorted(counted, key=lambda row: (-row[1], -row[2], row[0]))


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """The topic of dead letters. `assistant` reads whose row it is, as far as that goes."""

    glance: Glance
    topic: str
    assistant: Callable[[Record], str | None]

    async def find(self, wanted: Wanted) -> Selection:
        """Read the whole topic, and return what is asked for. Raises ConnectionError."""
        letters: list[DeadLetter] = []
        gone: set[tuple[int, int]] = set()
        async for record in self._all():
            offset = noted(record)
            if offset is not None:
                gone.add((record.partition, offset))
            elif wanted.holds(letter := letter_of(record, self.assistant)):
                letters.append(letter)
        waiting = [one for one in letters if (one.partition, one.offset) not in gone]
        waiting.sort(key=lambda one: (one.set_aside_at, one.partition, one.offset))
        sent_back = Counter(one.reason for one in letters)
        sent_back.subtract(one.reason for one in waiting)
        return Selection(tuple(waiting), +sent_back)

    async def bytes_of(
        self, letters: Iterable[DeadLetter]
    ) -> AsyncIterator[tuple[DeadLetter, Record]]:
        """Yield letters with their records, partition after partition, in order of offset.

        Raises ConnectionError. One that retention removed meanwhile does not come.
        """
        chosen: defaultdict[int, dict[int, DeadLetter]] = defaultdict(dict)
        for letter in letters:
            chosen[letter.partition][letter.offset] = letter
        for partition, of in sorted(chosen.items()):
            async for records in self.glance.onwards(self.topic, partition):
                for record in records:
                    if (found := of.pop(record.offset, None)) is not None:
                        yield found, record
                if not of:
                    break

    async def _all(self) -> AsyncIterator[Record]:
        for partition in sorted(await self.glance.sizes(self.topic)):
            async for records in self.glance.onwards(self.topic, partition):
                for record in records:
                    yield record
