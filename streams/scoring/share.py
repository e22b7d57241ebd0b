"""How much of the group's work is this process's: its part of what the whole group may do."""

from streams.ports import Source


def share_of(source: Source) -> float:
    """Return the part of the topic's partitions that this process holds now, in (0, 1].

    Who holds none counts as holding one: rows may be in flight while the group assigns anew.
    """
    return min(1.0, max(1, len(source.progress())) / max(1, source.partitions))
