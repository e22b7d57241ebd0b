"""What a group has committed, as its coordinator tells it."""

from aiokafka import TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import for_code
from aiokafka.protocol.commit import OffsetFetchRequest

from streams.kafka.innards import ask

Commit = tuple[int, str]
"""An offset, and what its committer wrote beside it."""


async def group_offsets(admin: AIOKafkaAdminClient, group: str) -> dict[TopicPartition, Commit]:
    """Return every commit of the group; of a partition that is not there it has none.

    Raises KafkaError while the coordinator cannot tell. aiokafka's own question passes over the
    error of an answer as a whole: a coordinator that has just moved, and loads its groups still,
    would be heard as "nothing was committed".
    """
    node = await admin.find_coordinator(group)
    answer = await ask(admin, OffsetFetchRequest(group, None), node=node)
    found: dict[TopicPartition, Commit] = {}
    codes = [answer["error_code"]]
    for topic in answer["topics"]:
        for part in topic["partitions"]:
            codes.append(part["error_code"])
            if part["offset"] >= 0:
                at = TopicPartition(topic["topic"], part["partition"])
                found[at] = part["offset"], part["metadata"]
    for code in filter(None, codes):
        raise for_code(code)(f"the commits of the group {group} cannot be told now")
    return found
