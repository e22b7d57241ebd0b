"""One ledger pane: which rows of a minute were seen, shed, rejected and drawn.

Blocks of offsets are tallied again after a crash, by a new owner with a greater epoch. Which of
them count is a function of the set of blocks, whatever order they came in.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from schemas.pane import Flow
from schemas.tally import Tally
from streams.watch.panes.pane import added


@dataclass(frozen=True, slots=True)
class Block:
    """The rows of one minute in the offsets [start, end) of one source partition."""

    topic: str
    partition: int
    start: int
    end: int
    epoch: int
    flows: dict[str, Flow]
    rejected: int

    def overlaps(self, other: "Block") -> bool:
        """Say whether both hold some offset of the same source partition."""
        return (
            (self.topic, self.partition) == (other.topic, other.partition)
            and self.start < other.end
            and other.start < self.end
        )


@dataclass(frozen=True, slots=True)
class LedgerPane:
    """The rows of a minute: as blocks while it is open, as sums by stratum after."""

    last: int = -1
    final: bool = False
    late: int = 0
    blocks: tuple[Block, ...] = ()
    flows: dict[str, Flow] = field(default_factory=dict)
    rejected: int = 0

    def closed(self) -> "LedgerPane":
        """Return the pane past its time. What comes after cannot be told from a repeat."""
        return replace(self.settled(), final=True)

    def settled(self) -> "LedgerPane":
        """Return the pane with its blocks summed."""
        if not self.blocks:
            return self
        flows, rejected = self.flows, self.rejected
        for block in counted(self.blocks):
            flows = added_flows(flows, block.flows)
            rejected += block.rejected
        return replace(self, blocks=(), flows=flows, rejected=rejected)

    def __add__(self, other: "LedgerPane") -> "LedgerPane":
        """Return both as one settled pane; it is final if one of them is."""
        one, two = self.settled(), other.settled()
        return LedgerPane(
            last=max(one.last, two.last),
            final=one.final or two.final,
            late=one.late + two.late,
            flows=added_flows(one.flows, two.flows),
            rejected=one.rejected + two.rejected,
        )

    def with_tally(self, tally: Tally, *, offset: int) -> "LedgerPane":
        """Return the pane with one more block. A final pane takes it unseen, and counts it late."""
        pane = replace(self, last=offset, blocks=(*self.blocks, block_of(tally)))
        return replace(pane.settled(), late=self.late + 1) if self.final else pane


def block_of(tally: Tally) -> Block:
    """Return a tally's block, with what this ledger keeps of it."""
    source = tally.source
    flows = {
        name: Flow(
            stratum.seen,
            stratum.shed,
            {scorer: drawn.sampled for scorer, drawn in stratum.scorers.items()},
        )
        for name, stratum in tally.strata.items()
    }
    return Block(
        source.topic,
        source.partition,
        source.from_,
        source.to,
        source.epoch,
        flows,
        tally.rejected,
    )


def counted(blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks that count: from the greatest (epoch, end) down, none over another."""
    kept: list[Block] = []
    for block in sorted(blocks, key=_rank, reverse=True):
        if not any(block.overlaps(other) for other in kept):
            kept.append(block)
    return kept


def _rank(block: Block) -> tuple[object, ...]:
    """Two blocks that differ never tie, so that the order in which they came cannot decide."""
    counts = [
        (name, flow.seen, flow.shed, sorted(flow.sampled.items()))
        for name, flow in sorted(block.flows.items())
    ]
    return block.epoch, block.end, -block.start, block.topic, block.partition, counts


def added_flows(one: dict[str, Flow], other: dict[str, Flow]) -> dict[str, Flow]:
    """Return the sums by stratum. Neither argument is changed."""
    if not one or not other:
        return one or other
    total = one.copy()
    for name, flow in other.items():
        known = total.get(name, Flow())
        total[name] = Flow(
            known.seen + flow.seen, known.shed + flow.shed, added(known.sampled, flow.sampled)
        )
    return total
