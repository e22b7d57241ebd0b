"""Which verdicts of two sides are on the same row. Pure.

A verdict of one configuration has the same event id on both sides. With another configuration it
has another one: then the row it comes from pairs it, if trace and span are the same. Rows of
another topic (a file) cannot be told by where they lie: there trace and span alone pair them.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from streams.replay.pairs import Pair, Verdict
from streams.replay.sides import Keys, Side


class Matched(NamedTuple):
    """Pairs, and how many rows only one side has, by scorer."""

    pairs: list[Pair]
    only_before: Counter[str]
    only_after: Counter[str]


def matched(before: Side, after: Side) -> Matched:
    """Pair the verdicts of both sides, each once: the same events first, then the same rows."""
    lying = not before.topics.isdisjoint(after.topics)
    left = {event_id: verdict for event_id, verdict, _ in before.verdicts()}
    pairs, others = list[Pair](), list[tuple[Verdict, Sequence[Keys]]]()
    for event_id, verdict, keys in after.verdicts():
        if event_id in left:
            pairs.append(Pair(left.pop(event_id), verdict))
        else:
            others.append((verdict, keys))
    rows: dict[bytes, bytes] = {}
    for event_id, _, keys in before.verdicts():
        for key in keys if event_id in left else ():
            rows.setdefault(key.row if lying else key.name, event_id)
    alone = Counter[str]()
    for verdict, keys in others:
        found = (rows.get(key.row if lying else key.name, b"") for key in keys)
        same = next((one for one in found if _differ(left.get(one), verdict)), None)
        if same is None:
            alone[verdict.scorer] += 1
        else:
            pairs.append(Pair(left.pop(same), verdict))
    return Matched(pairs, Counter(verdict.scorer for verdict in left.values()), alone)


def _differ(before: Verdict | None, after: Verdict) -> bool:
    """Say whether two events on a row are of two configurations.

    Those of one have two ids only where what was judged is not the same.
    """
    return before is not None and before.speaker.config_hash != after.speaker.config_hash
