"""Putting the dead lives of this very worker out of its group, before it joins again.

A killed process stays in its group until its session ends. When it comes back before that, all
members stand still and wait for its ghost; if it is killed again and again, it never reads.
"""

from datetime import timedelta

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError, NoError, UnknownMemberIdError, for_code
from aiokafka.protocol.group import LeaveGroupRequest

from streams.kafka.connection import Worker
from streams.kafka.incidents import Incidents
from streams.kafka.innards import ask
from streams.kafka.starting import patiently
from streams.processes import alive

PATIENCE = timedelta(seconds=3)
"""How long a coordinator that moves is asked again: a ghost goes by itself with its session."""


async def remove_ghosts(
    admin: AIOKafkaAdminClient, group: str, worker: Worker, incidents: Incidents
) -> None:
    """Put every member of our host and slot out whose process is dead, or has our own id.

    A member that was put out by mistake joins again by itself. Another host's is left alone.
    """
    try:
        gone = await patiently(lambda: _put_out(admin, group, worker), PATIENCE)
    except KafkaError as error:  # a coordinator that is not there yet has no ghosts either
        incidents.note("ghost_unremoved", group=group, error=repr(error))
        return
    for client_id in gone:
        incidents.note("ghost_removed", group=group, client_id=client_id)


async def _put_out(admin: AIOKafkaAdminClient, group: str, worker: Worker) -> list[str]:
    coordinator = await admin.find_coordinator(group)
    (answer,) = await admin.describe_consumer_groups([group], coordinator)
    (described,) = answer.to_object()["groups"]
    if code := described["error_code"]:  # of a coordinator that loads, a group has no members
        raise for_code(code)(f"the members of the group {group} cannot be told now")
    ghosts = [one for one in described["members"] if is_ghost(one["client_id"], worker)]
    for ghost in ghosts:
        left = await ask(admin, LeaveGroupRequest(group, ghost["member_id"]), node=coordinator)
        if (error := for_code(left["error_code"])) not in (NoError, UnknownMemberIdError):
            raise error(f"a ghost is still in the group {group}")
    return [ghost["client_id"] for ghost in ghosts]


def is_ghost(client_id: str, worker: Worker) -> bool:
    """Say whether a member is an earlier life of this worker. (Containers repeat process ids.)"""
    prefix, _, pid = client_id.rpartition(".")
    ours = prefix == worker.client_id.rpartition(".")[0]
    return ours and pid.isdigit() and (int(pid) == worker.pid or not alive(int(pid)))
