"""Everything that the watch half of one partition remembers, as mappings that any table can be.

Values are never changed, only replaced, and only while a record is handled. Each mapping's items
travel as JSON text through its codec, so that a host may keep them wherever it likes.
"""

import json
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pydantic import TypeAdapter

from streams.watch.alerts.alarm import Alarm
from streams.watch.alerts.episodes import Episode, Episodes
from streams.watch.alerts.subject import Subject
from streams.watch.marks import Clock
from streams.watch.panes.ledger import LedgerPane
from streams.watch.panes.pane import Family, PaneKey, ScorePane


@dataclass(frozen=True, slots=True)
class Position:
    """What has been applied of a topic, and what has been published of the panes.

    `flushed` is the offset up to which pane updates are out, since the instant `flushed_at`.
    """

    applied: int = -1
    flushed: int = -1
    flushed_at: int = 0


@dataclass(slots=True)
class Tables:
    """The state of one partition. Clocks go by run (live: empty), positions by topic."""

    scores: MutableMapping[PaneKey, ScorePane] = field(default_factory=dict)
    ledgers: MutableMapping[PaneKey, LedgerPane] = field(default_factory=dict)
    alarms: MutableMapping[Subject, Alarm] = field(default_factory=dict)
    episodes: Episodes = field(default_factory=dict)
    clocks: MutableMapping[str, Clock] = field(default_factory=dict)
    positions: MutableMapping[str, Position] = field(default_factory=dict)

    def to_json(self) -> bytes:
        """Return all of it as one JSON object."""
        parts = {
            "scores": SCORES.dump_all(self.scores),
            "ledgers": LEDGERS.dump_all(self.ledgers),
            "alarms": ALARMS.dump_all(self.alarms),
            "episodes": EPISODES.dump_all(self.episodes),
            "clocks": CLOCKS.dump_all(self.clocks),
            "positions": POSITIONS.dump_all(self.positions),
        }
        return json.dumps(parts, ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def from_json(cls, text: bytes) -> "Tables":
        """Read what `to_json` wrote."""
        parts = json.loads(text)
        return cls(
            SCORES.load_all(parts["scores"]),
            LEDGERS.load_all(parts["ledgers"]),
            ALARMS.load_all(parts["alarms"]),
            EPISODES.load_all(parts["episodes"]),
            CLOCKS.load_all(parts["clocks"]),
            POSITIONS.load_all(parts["positions"]),
        )


K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Codec(Generic[K, V]):
    """How the items of one mapping are written: both key and value as JSON text."""

    key: TypeAdapter[K]
    value: TypeAdapter[V]

    def dump(self, key: K, value: V) -> tuple[str, str]:
        """Return an item as it is kept."""
        return self.key.dump_json(key).decode(), self.value.dump_json(value).decode()

    def load(self, key: str, value: str) -> tuple[K, V]:
        """Read an item. Raises ValidationError if it is not one."""
        return self.key.validate_json(key), self.value.validate_json(value)

    def dump_all(self, items: MutableMapping[K, V]) -> dict[str, str]:
        """Return a whole mapping as it is kept."""
        return dict(self.dump(key, value) for key, value in items.items())

    def load_all(self, items: dict[str, str]) -> dict[K, V]:
        """Read a whole mapping."""
        return dict(self.load(key, value) for key, value in items.items())


SCORES = Codec(TypeAdapter(PaneKey), TypeAdapter(ScorePane))
LEDGERS = Codec(TypeAdapter(PaneKey), TypeAdapter(LedgerPane))
ALARMS = Codec(TypeAdapter(Subject), TypeAdapter(Alarm))
EPISODES = Codec(TypeAdapter(Family), TypeAdapter(tuple[Episode, ...]))
CLOCKS = Codec(TypeAdapter(str), TypeAdapter(Clock))
POSITIONS = Codec(TypeAdapter(str), TypeAdapter(Position))
