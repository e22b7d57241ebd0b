"""What becomes of reading after an error: nothing is skipped that could be delivered.

After an error every partition goes back to the first row that was not handed out, and the next rows
are taken one by one: what stands before the damage is delivered, and the offset at which it raises
again is the damage.
"""

from dataclasses import dataclass

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError, NoOffsetForPartitionError, OffsetOutOfRangeError

from streams.kafka.deadlines import ANSWER, within
from streams.kafka.held import Held, Holdings
from streams.kafka.incidents import Incidents
from streams.kafka.innards import permanent, rejoin

STEPS = 501
"""How many rows are taken one by one: those of the batch that raised, and the one behind it."""


@dataclass(frozen=True, slots=True)
class Damage:
    """Decides what an error means for the partitions that are held."""

    consumer: AIOKafkaConsumer
    topic: str
    holdings: Holdings
    incidents: Incidents

    async def failed(self, number: int, held: Held, error: BaseException) -> None:
        """Put reading back where it was before an error, and leave aside what is damaged.

        Raises the error where there is no use in reading on.
        """
        if permanent(error, self.consumer):
            raise error
        if isinstance(error, NoOffsetForPartitionError):
            self._seek(number, held)  # it was asked before its place was known
        elif isinstance(error, OffsetOutOfRangeError):
            await self._pass_gap(number, held)
        elif held.steps:
            held.stopped = "batch_unreadable"
            self.incidents.note(
                "batch_unreadable",
                topic=self.topic,
                partition=number,
                offset=held.tracker.position,
                error=type(error).__name__,
            )
        else:
            self.step(held)
            for other, kept in self.holdings.held.items():
                if kept.reads:
                    self._seek(other, kept)

    def step(self, held: Held | None) -> None:
        """Have the next rows of a partition taken one by one."""
        if held is not None and held.reads:
            held.steps = STEPS

    def _seek(self, number: int, held: Held) -> None:
        self.consumer.seek(TopicPartition(self.topic, number), held.tracker.position)

    async def _pass_gap(self, number: int, held: Held) -> None:
        """Rows were deleted under us: say which, and go on behind them."""
        part = TopicPartition(self.topic, number)
        try:
            begins = await within(ANSWER, self.consumer.beginning_offsets([part]))
        except (KafkaError, TimeoutError):
            return
        first, begin = held.tracker.position, begins[part]
        if not held.reads:
            return
        if begin <= first:  # the log ends before us: it is another one, or it was cut short
            held.distrust()
            rejoin(self.consumer)
            return
        facts = {"first": first, "up_to": begin, "rows": begin - first}
        self.incidents.note("retention_gap", topic=self.topic, partition=number, **facts)
        held.pass_gap(begin)
        self._seek(number, held)
