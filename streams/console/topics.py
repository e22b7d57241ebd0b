"""The `topics` commands: make what is missing, say what is wrong and what mends it."""

from collections.abc import AsyncIterator

from streams.console.lines import Line
from streams.kafka.connection import Connection
from streams.kafka.topics import admin_of, create, found
from streams.topics import TopicPlan, differences, faults, missing, together


async def creation(
    connection: Connection, wanted: list[TopicPlan], *, partitions: int, copies: int
) -> AsyncIterator[Line]:
    """Make the topics that are not there, and yield a line for each. Touches no other.

    Of topics that must be alike, those that are missing get as many partitions as those that are
    there: as the scores topic has, or else the one with the most.
    """
    async with admin_of(connection) as admin:
        there = await found(admin, [plan.name for plan in wanted])
        alike = together(wanted, there) or partitions
        for plan in missing(wanted, there):
            count = alike if plan.alike or plan.leads else partitions
            made = await create(admin, [plan], partitions=count, copies=copies)
            yield Line(
                f"{plan.name}: {'made' if made else 'was made by another just now'}", tone="good"
            )
        for name in sorted(there):
            yield Line(f"{name}: is there")


async def comparison(
    connection: Connection, wanted: list[TopicPlan], *, copies: int
) -> AsyncIterator[Line]:
    """Yield what is wrong with each topic and the command that mends it; good lines elsewhere.

    What is only otherwise than meant is told, and is nothing bad.
    """
    async with admin_of(connection) as admin:
        there = await found(admin, [plan.name for plan in wanted])
    wrong = list(faults(wanted, there, copies=copies, servers=connection.servers))
    otherwise = list(differences(wanted, there, servers=connection.servers))
    for plan in wanted:
        ours = [fault for fault in wrong if fault.topic == plan.name]
        if not ours:
            is_ = there[plan.name]
            yield Line(
                f"{plan.name}: {is_.partitions} partitions, {is_.copies} copies", tone="good"
            )
        for fault in ours:
            yield Line(f"{plan.name}: {fault.fault}", tone="bad")
            yield Line(fault.remedy, depth=1)
        for other in (one for one in otherwise if one.topic == plan.name):
            yield Line(f"{plan.name}: {other.fault}")
            yield Line(other.remedy, depth=1)
