"""Identities that two halves, two adapters and a replay compute alike.

Every hash is BLAKE2b over canonical JSON (sorted keys, no spaces, non-ASCII as it is, UTF-8), in
lower-case hex.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence

import pydantic_core
from pydantic import JsonValue

_CANONICAL = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)


def canonical(value: object) -> bytes:
    """Return canonical JSON. Raises ValueError for NaN, infinities and lone surrogates."""
    return _CANONICAL.encode(value).encode()


def hash_of(value: object, *, size: int) -> str:
    """Return the hash of a value, `size` bytes long (two hex digits each)."""
    return hashlib.blake2b(canonical(value), digest_size=size).hexdigest()


def _hash_of_texts(value: object, *, size: int) -> str:
    """Return the same hash, quicker, of what holds texts alone under keys that are in order.

    Another hand writes the JSON, which tests hold to `canonical`. Its numbers could differ.
    """
    return hashlib.blake2b(pydantic_core.to_json(value), digest_size=size).hexdigest()


def content_hash(content: Mapping[str, object]) -> str:
    """Return the hash of what a scorer may read: all seven fields, null where absent.

    The keys are in order, outside and inside; only tool results and citations bring their own.
    """
    plain = content["tool_results"] is None and content["citations"] is None
    return _hash_of_texts(content, size=16) if plain else hash_of(content, size=16)


def config_hash(*, scorer: Mapping[str, JsonValue], judge: Mapping[str, JsonValue]) -> str:
    """Return the hash of what can change a verdict. Keys whose value is null are left out."""
    return hash_of(_without_nulls({"scorer": dict(scorer), "judge": dict(judge)}), size=8)


def _without_nulls(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return value


def event_id(*, trace_id: str, span_id: str | None, content: str, scorer: str, config: str) -> str:
    """Return the id of one scorer's verdict on one answer: the same whoever judges it again."""
    return _hash_of_texts([trace_id, span_id or "", content, scorer, config], size=16)


def series(config: str, *, asked: str | None, resolved: Sequence[str]) -> str:
    """Return what a pane may never mix: the configuration, and the models that really answered.

    `asked` is the model of the configuration, `resolved` what the replies named. While the two
    agree the series is the config hash itself.
    """
    models = set(resolved)
    return config if models <= {asked} else hash_of([config, sorted(models)], size=8)


def dedup_key(rule: str, labels: Mapping[str, str]) -> str:
    """Return what makes two alerts the same alert: the rule and its labels."""
    return hash_of([rule, dict(labels)], size=16)


def alert_id(dedup: str, starts_at: str) -> str:
    """Return the id of one episode of an alert: the same after a crash."""
    return hash_of([dedup, starts_at], size=16)


def row_id(topic: str, partition: int, offset: int) -> str:
    """Return the id of a row that came without one. `topic` is the topic's id, else its name."""
    return "row-" + hash_of([topic, partition, offset], size=16)
