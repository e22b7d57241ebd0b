"""A host of one watch partition that crashes between two writes to tables with a changelog."""

from collections.abc import Iterator, MutableMapping, Sequence
from random import Random
from typing import TypeVar

from schemas.alert import Alert
from schemas.mark import Mark
from schemas.score import ScoreEvent
from schemas.tally import Tally
from schemas.wire import to_milliseconds
from streams.watch.fold import Watch
from streams.watch.marks import Clock
from streams.watch.options import Options
from streams.watch.panes.events import minute_of
from streams.watch.tables import Tables

K = TypeVar("K")
V = TypeVar("V")

Write = tuple[str, object, object]
GONE = object()


class Journalled(MutableMapping[K, V]):
    """A mapping that notes each write in a changelog that others share."""

    def __init__(self, name: str, changelog: list[Write]) -> None:
        self._name, self._changelog = name, changelog
        self._items: dict[K, V] = {}

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __setitem__(self, key: K, value: V) -> None:
        self._items[key] = value
        self._changelog.append((self._name, key, value))

    def __delitem__(self, key: K) -> None:
        del self._items[key]
        self._changelog.append((self._name, key, GONE))

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


class Host:
    """Reads two logs at two speeds. After a crash it comes back from a changelog cut short."""

    def __init__(
        self,
        options: Options,
        scores: Sequence[ScoreEvent | Tally],
        marks: Sequence[Mark],
        *,
        seed: int,
        crashes: float,
        down: range = range(0),
    ) -> None:
        self.alerts: list[Alert] = []
        self.crashes = 0
        self.overtaken = 0
        self._ids: set[str] = set()
        self._options, self._scores, self._marks = options, scores, marks
        self._down, self._behind = down, False
        self._crashing, self._random = crashes, Random(seed)
        self._read = self._committed = (0, 0)
        self._changelog: list[Write] = []
        self.watch = self._started([])

    def read(self, most: int, *, now: int) -> bool:
        """Handle some records, unless down. Returns whether there may be more.

        Whoever comes back reads the shorter log, the marks, long before the scores.
        """
        if now in self._down:
            self._behind = True
            return False
        more = all(self._one() for _ in range(most))
        self._behind = self._behind and more
        return more

    def _one(self) -> bool:
        next_score, next_mark = self._read
        scores, marks = next_score < len(self._scores), next_mark < len(self._marks)
        if not scores and not marks:
            return False
        before = len(self._changelog)
        first = 0.0 if self._behind else 0.6
        if scores and (not marks or self._random.random() < first):
            self._notice(self._scores[next_score])
            said = self.watch.fold(self._scores[next_score], offset=next_score)
            self._read = (next_score + 1, next_mark)
        else:
            said = self.watch.fold(self._marks[next_mark])
            self._read = (next_score, next_mark + 1)
        self.alerts += [message for message in said if isinstance(message, Alert)]
        if self._random.random() < self._crashing:
            self.crashes += 1
            kept = self._random.randint(before, len(self._changelog))
            self.watch = self._started(self._changelog[:kept])
            self._read = self._committed
        elif self._random.random() < 0.05:
            self._committed = self._read
        return True

    def _notice(self, message: ScoreEvent | Tally) -> None:
        """Count the verdicts whose minute was evaluated before they came."""
        if isinstance(message, ScoreEvent) and message.event_id not in self._ids:
            self._ids.add(message.event_id)
            evaluated = self.watch.tables.clocks.get("", Clock()).evaluated
            start = minute_of(to_milliseconds(message.trace.answered_at))
            self.overtaken += evaluated is not None and start < evaluated

    def _started(self, changelog: list[Write]) -> Watch:
        self._changelog = changelog
        fresh = [Journalled[object, object](name, []) for name in Tables.__slots__]
        tables = dict(zip(Tables.__slots__, fresh, strict=True))
        for name, key, value in changelog:
            if value is GONE:
                tables[name].pop(key, None)
            else:
                tables[name][key] = value
        for name, table in tables.items():
            table._name, table._changelog = name, changelog
        return Watch(self._options, Tables(**tables))  # type: ignore[arg-type]
