"""Which incarnation of a topic this is: the id that the broker gave it when it was made.

aiokafka asks in an older dialect that knows no ids; this is the same question in a newer one.
"""

import base64
from collections.abc import Mapping, Sequence
from io import BytesIO

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import NoError, UnknownTopicOrPartitionError, for_code
from aiokafka.protocol.abstract import AbstractType
from aiokafka.protocol.api import Request, RequestStruct, Response
from aiokafka.protocol.types import (
    Boolean,
    CompactArray,
    CompactString,
    Int16,
    Int32,
    Schema,
    TaggedFields,
)

from streams.kafka.innards import ask

_NONE = bytes(16)


class _Uuid(AbstractType[bytes]):
    """Sixteen bytes as they are."""

    @classmethod
    def encode(cls, value: bytes) -> bytes:
        return value

    @classmethod
    def decode(cls, data: BytesIO) -> bytes:
        return data.read(16)

    @classmethod
    def repr(cls, value: bytes) -> str:
        return value.hex()


class _Topics(Response):
    API_KEY = 3
    API_VERSION = 12
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        (
            "brokers",
            CompactArray(
                ("node_id", Int32),
                ("host", CompactString("utf-8")),
                ("port", Int32),
                ("rack", CompactString("utf-8")),
                ("tags", TaggedFields),
            ),
        ),
        ("cluster_id", CompactString("utf-8")),
        ("controller_id", Int32),
        (
            "topics",
            CompactArray(
                ("error_code", Int16),
                ("topic", CompactString("utf-8")),
                ("topic_id", _Uuid),
                ("is_internal", Boolean),
                (
                    "partitions",
                    CompactArray(
                        ("error_code", Int16),
                        ("partition", Int32),
                        ("leader", Int32),
                        ("leader_epoch", Int32),
                        ("replicas", CompactArray(Int32)),
                        ("isr", CompactArray(Int32)),
                        ("offline", CompactArray(Int32)),
                        ("tags", TaggedFields),
                    ),
                ),
                ("operations", Int32),
                ("tags", TaggedFields),
            ),
        ),
        ("tags", TaggedFields),
    )


class _AskTopics(RequestStruct):
    FLEXIBLE_VERSION = True
    API_KEY = 3
    API_VERSION = 12
    RESPONSE_TYPE = _Topics
    SCHEMA = Schema(
        (
            "topics",
            CompactArray(
                ("topic_id", _Uuid),
                ("topic", CompactString("utf-8")),
                ("tags", TaggedFields),
            ),
        ),
        ("allow_auto_topic_creation", Boolean),
        ("include_topic_authorized_operations", Boolean),
        ("tags", TaggedFields),
    )


class _TopicsRequest(Request[_AskTopics]):
    API_KEY = 3

    def __init__(self, topics: Sequence[str]) -> None:
        self._topics = topics

    def build(self, request_struct_class: type[_AskTopics]) -> _AskTopics:
        asked: list[tuple[bytes, str, dict[int, bytes]]] = [
            (_NONE, topic, {}) for topic in self._topics
        ]
        return request_struct_class(asked, False, False, {})


async def topic_ids(admin: AIOKafkaAdminClient, topics: Sequence[str]) -> Mapping[str, str]:
    """Return the id (22 characters) of each topic that exists; empty on brokers before 2.8.

    Raises KafkaError where a broker will not tell, or not now.
    """
    try:
        answer = await ask(admin, _TopicsRequest(topics))
    except NotImplementedError:
        return dict.fromkeys(topics, "")
    for found in answer["topics"]:
        if (error := for_code(found["error_code"])) not in (NoError, UnknownTopicOrPartitionError):
            raise error(f"the topic {found['topic']} cannot be looked at")
    return {
        found["topic"]: "" if found["topic_id"] == _NONE else _text(found["topic_id"])
        for found in answer["topics"]
        if found["error_code"] == 0
    }


def _text(identity: bytes) -> str:
    return base64.urlsafe_b64encode(identity).decode().rstrip("=")
