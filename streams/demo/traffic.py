"""Plays the assistants' answers as rows in event time: same seed and start, same rows.

The truth about each row travels beside it, never in it.
"""

import hashlib
import heapq
from collections import deque
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import NamedTuple

from pydantic import JsonValue

from schemas.wire import in_milliseconds, rfc3339
from streams.demo.content import Assistant, Entry, Fault, Release

LENGTH = timedelta(hours=6)

_NEW_SESSION = 0.4
_OPEN_SESSIONS = 6


class Played(NamedTuple):
    """A row as a producer writes it, when it was answered, and what is wrong with it (or None)."""

    at: datetime
    row: dict[str, JsonValue]
    fault: Fault | None


def play(
    assistants: Sequence[Assistant], *, seed: int, start: datetime, length: timedelta = LENGTH
) -> Iterator[Played]:
    """Yield the rows of all assistants in order of time, from `start` (aware) for `length`.

    Answers come at random, at each assistant's mean rate; their mistakes at its release's share.
    """
    parts = (_play_one(one, seed=seed, start=start, length=length) for one in assistants)
    return heapq.merge(*parts, key=lambda played: played.at)


def _play_one(
    assistant: Assistant, *, seed: int, start: datetime, length: timedelta
) -> Iterator[Played]:
    dice = Random(f"{seed}/{assistant.service}")  # noqa: S311 - a play must repeat, not surprise
    can_go_wrong = [entry for entry in assistant.answers if entry.wrong]
    sessions: deque[str] = deque(maxlen=_OPEN_SESSIONS)
    at, number = in_milliseconds(start), 0
    while True:
        at = in_milliseconds(at + timedelta(hours=dice.expovariate(assistant.answers_per_hour)))
        if at - start >= length:
            return
        number += 1
        trace_id = _trace_id(seed, assistant.service, number)
        if not sessions or dice.random() < _NEW_SESSION:
            sessions.append(trace_id[:12])
        release = assistant.release(at - start)
        wrong = dice.random() < release.wrong_share
        entry = dice.choice(can_go_wrong if wrong else assistant.answers)
        answer, fault = _said(entry, wrong=wrong)
        row: dict[str, JsonValue] = {
            "trace_id": trace_id,
            "service": assistant.service,
            "environment": assistant.environment,
            "session_id": dice.choice(sessions),
            "answered_at": rfc3339(at),
            "question": entry.question,
            "contexts": _retrieved(assistant, entry),
            "answer": answer,
            "attributes": _attributes(assistant, release),
        }
        yield Played(at, row, fault)


def _said(entry: Entry, *, wrong: bool) -> tuple[str, Fault | None]:
    if wrong and entry.wrong:
        return entry.wrong.answer, entry.wrong.fault
    return entry.answer, None


def _retrieved(assistant: Assistant, entry: Entry) -> list[JsonValue]:
    found = [assistant.knowledge[name] for name in entry.passages]
    return [
        {"key": str(key), "text": document.text, "source": document.source}
        for key, document in enumerate(found, start=1)
    ]


def _attributes(assistant: Assistant, release: Release) -> dict[str, JsonValue]:
    return {
        "prompt_version": release.prompt_version,
        "locale": assistant.locale,
        "index_version": assistant.index_version,
    }


def _trace_id(seed: int, service: str, number: int) -> str:
    return hashlib.blake2b(f"{seed}/{service}/{number}".encode(), digest_size=16).hexdigest()
