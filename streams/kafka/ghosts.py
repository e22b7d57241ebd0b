"""Putting the dead lives of this very worker out of its group, before it joins again.

A killed process stays in its group until its session ends. When it comes back before that, all
members stand still and wait for its ghost; if it is killed again and again, it never reads.
"""

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError
from aiokafka.protocol.group import LeaveGroupRequest

from streams.kafka.connection import Worker
from streams.kafka.incidents import Incidents
from streams.kafka.innards import ask
from streams.processes import alive


async def remove_ghosts(
    admin: AIOKafkaAdminClient, group: str, worker: Worker, incidents: Incidents
) -> None:
    """Put every member of our host and slot out whose process is dead, or has our own id.

    A member that was put out by mistake joins again by itself. Another host's is left alone.
    """
    try:
        coordinator = await admin.find_coordinator(group)
        (answer,) = await admin.describe_consumer_groups([group], coordinator)
        described = answer.to_object()
        for member in described["groups"][0]["members"]:
            if is_ghost(member["client_id"], worker):
                await ask(admin, LeaveGroupRequest(group, member["member_id"]), node=coordinator)
                incidents.note("ghost_removed", group=group, client_id=member["client_id"])
    except KafkaError as error:  # a coordinator that is not there yet has no ghosts either
        incidents.note("ghost_unremoved", group=group, error=repr(error))


def is_ghost(client_id: str, worker: Worker) -> bool:
    """Say whether a member is an earlier life of this worker. (Containers repeat process ids.)"""
    prefix, _, pid = client_id.rpartition(".")
    ours = prefix == worker.client_id.rpartition(".")[0]
    return ours and pid.isdigit() and (int(pid) == worker.pid or not alive(int(pid)))
