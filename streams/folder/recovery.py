"""Taking partitions over where the commits of earlier lives left them."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import structlog

from streams.address import mode
from streams.commits import Resumption, resume
from streams.folder.groups import Group
from streams.folder.history import published_since, start_offset
from streams.folder.log import LogReader
from streams.folder.owned import Owned
from streams.folder.sightings import Sightings
from streams.folder.topic import TopicPartition
from streams.subscription import Subscription
from streams.tracker import Tracker

MARGIN = timedelta(minutes=5)
"""How long before its last commit a row may have been published in part: above any row deadline."""

log = structlog.get_logger()


def recover(
    root: Path,
    subscription: Subscription,
    group: Group,
    logs: Mapping[int, LogReader],
    *,
    topic_id: str,
) -> dict[int, Owned]:
    """Return the partitions as they are to be read on, with what is already done of their rows.

    A commit that cannot be trusted is told, and the start policy takes its place.
    """
    owned = {}
    for number, reader in logs.items():
        if subscription.bounds is not None and number not in subscription.bounds:
            continue
        reader.grow_all()
        found = _resumption(subscription, group, number, topic_id=topic_id, end=reader.end)
        place = TopicPartition(subscription.topic, number, topic_id, group.epoch)
        owned[number] = _owned(subscription, place, reader, found)
        if found.offset is not None:
            told = group.commits(subscription.topic)[number].seen
            owned[number].sightings = Sightings(list(told))
    _find_published(root, subscription, owned)
    return owned


def _resumption(
    subscription: Subscription, group: Group, number: int, *, topic_id: str, end: int
) -> Resumption:
    commit = group.commits(subscription.topic).get(number)
    if commit is None:
        return Resumption(None)
    found = resume(commit.offset, commit.metadata, topic_id=topic_id, end=end)
    if found.problem is not None:
        log.warning(
            "commit_not_trusted",
            group=subscription.group,
            topic=subscription.topic,
            partition=number,
            offset=commit.offset,
            end=end,
            problem=found.problem,
            going_on="at the start policy" if found.offset is None else "without its map",
        )
    return found


def _owned(
    subscription: Subscription, place: TopicPartition, reader: LogReader, found: Resumption
) -> Owned:
    bounds = (subscription.bounds or {}).get(place.partition)
    upto = reader.end if subscription.end_at_end else None
    if bounds is not None:
        upto = bounds.end
    if found.offset is not None:
        tracker = Tracker(found.offset, place.epoch, found.finished, span=subscription.span)
        return Owned(place, reader, tracker, since=found.since or 0, upto=upto)
    base = _fresh(subscription, place, reader) if bounds is None else bounds.start
    return Owned(place, reader, Tracker(base, place.epoch, span=subscription.span), upto=upto)


def _fresh(subscription: Subscription, place: TopicPartition, reader: LogReader) -> int:
    """Return where a partition without a commit begins, and say so."""
    base = start_offset(reader, subscription.start, place)
    log.info(
        "start_policy",
        start=str(subscription.start),
        topic=place.topic,
        partition=place.partition,
        offset=base,
    )
    return base


def _find_published(root: Path, subscription: Subscription, owned: Mapping[int, Owned]) -> None:
    known = [one.since for one in owned.values() if one.since is not None]
    if not known:
        return
    found = published_since(
        root,
        subscription.scores,
        since=min(known) - int(MARGIN.total_seconds() * 1000),
        topic=subscription.topic,
        mode=mode(subscription.run),
    )
    for number, one in owned.items():
        if one.since is not None:
            rows = found.get(number, {})
            base = one.tracker.base
            one.published = {at: ids for at, ids in rows.items() if at >= base}
            subscription.behind([id for at, ids in rows.items() if at < base for id in ids])
