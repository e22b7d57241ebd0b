"""Passages are indexed once: several scorers and claims of a row look at the same ones."""

from collections import OrderedDict
from threading import Lock

from scorers.judges.rules_index import IndexedPassage, index


class PassageCache:
    """Keeps the indexes used last, by the passage's text, up to a number of characters in all.

    A passage longer than that is indexed anew each time. Safe to use from several threads.
    """

    def __init__(self, *, characters: int = 1_000_000) -> None:
        self._room = characters
        self._kept: OrderedDict[str, IndexedPassage] = OrderedDict()
        self._lock = Lock()

    def index(self, text: str) -> IndexedPassage:
        """Return the index of a passage."""
        with self._lock:
            if text in self._kept:
                self._kept.move_to_end(text)
                return self._kept[text]
        found = index(text)
        with self._lock:
            if text not in self._kept:
                self._kept[text] = found
                self._room -= len(text)
            while self._room < 0:
                dropped, _ = self._kept.popitem(last=False)
                self._room += len(dropped)
        return found
