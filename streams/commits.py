"""What a group writes beside a committed offset, and what may be trusted of it afterwards. Pure.

`sg1.<nonce>.<topic id>.<milliseconds>.<bitmap>`: who committed, of which incarnation of the topic,
when, and which rows from the offset on are finished already (base64, see `streams.tracker`).
"""

import base64
import binascii
import re
from dataclasses import dataclass

LIMIT = 4096
"""Kafka's `offset.metadata.max.bytes`, which it counts in UTF-16 units."""

_HEAD = re.compile(r"sg1\.([^.]*)\.([^.]*)\.([0-9]{1,15})\.(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Metadata:
    """One commit's metadata. `at` in milliseconds since 1970; `finished` as a tracker's bitmap."""

    nonce: str
    topic_id: str
    at: int
    finished: bytes = b""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a commit's metadata is not used. `reason` is a code."""

    reason: str


def encode(metadata: Metadata) -> str:
    """Return the metadata as text of at most `LIMIT` UTF-16 units: the map goes if it must."""
    head = f"sg1.{metadata.nonce}.{metadata.topic_id}.{metadata.at}."
    text = head + base64.b64encode(metadata.finished).decode()
    return text if len(text.encode("utf-16-le")) // 2 <= LIMIT else head


def decode(text: str) -> Metadata | Unreadable:
    """Return what the text says. Never raises: anyone may write into a group's metadata."""
    if not text:
        return Unreadable("no_metadata")
    if not text.startswith("sg1."):
        return Unreadable("unknown_prefix")
    parts = _HEAD.fullmatch(text)
    if parts is None:
        return Unreadable("truncated")
    nonce, topic_id, at, bitmap = parts.groups()
    try:
        finished = base64.b64decode(bitmap, validate=True)
    except (binascii.Error, ValueError):
        return Unreadable("bad_bitmap")
    return Metadata(nonce, topic_id, int(at), finished)


@dataclass(frozen=True, slots=True)
class Resumption:
    """Where an owner goes on: `offset` None means where the start policy says.

    `since` is the time of the last commit in milliseconds, null where it is not known; `problem` a
    code for whatever could not be used of the commit. A problem is to be told, never passed over.
    """

    offset: int | None
    finished: bytes = b""
    since: int | None = None
    problem: str | None = None


def resume(offset: int, text: str, *, topic_id: str, end: int) -> Resumption:
    """Return what of a commit may be trusted, given the topic's id and the log's end.

    A commit of another incarnation of the topic, or beyond the end of the log, says nothing about
    this log. Metadata that cannot be read costs the bitmap and the time only.
    """
    metadata = decode(text)
    if isinstance(metadata, Metadata) and metadata.topic_id != topic_id:
        return Resumption(None, problem="topic_recreated")
    if not 0 <= offset <= end:
        return Resumption(None, problem="beyond_end")
    if isinstance(metadata, Unreadable):
        return Resumption(offset, problem=metadata.reason)
    if offset + int.from_bytes(metadata.finished, "little").bit_length() > end:
        return Resumption(offset, since=metadata.at, problem="map_beyond_end")
    return Resumption(offset, metadata.finished, metadata.at)
