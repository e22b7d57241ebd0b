from hypothesis import given
from hypothesis import strategies as st

from schemas.tally import Tally
from streams.watch.panes.ledger import LedgerPane, block_of, counted
from tests.streams.watch.records import SCORER, a_tally

BLOCKS = st.lists(
    st.builds(
        lambda start, length, epoch, seen: a_tally(
            0, rows=(start, start + length), epoch=epoch, seen=seen
        ),
        st.integers(0, 20),
        st.integers(1, 8),
        st.integers(1, 3),
        st.integers(0, 3),
    ),
    max_size=8,
)


@given(BLOCKS, st.permutations(range(8)))
def test_which_blocks_count_does_not_depend_on_their_order(
    tallies: list[Tally], order: list[int]
) -> None:
    blocks = [block_of(tally) for tally in tallies]
    shuffled = [blocks[n] for n in order if n < len(blocks)]

    assert counted(shuffled) == counted(blocks)


@given(BLOCKS)
def test_no_offset_counts_twice_and_the_newest_epoch_always_counts(tallies: list[Tally]) -> None:
    blocks = [block_of(tally) for tally in tallies]

    kept = counted(blocks)

    offsets = [offset for block in kept for offset in range(block.start, block.end)]
    assert len(offsets) == len(set(offsets))
    newest = max((block.epoch for block in blocks), default=None)
    assert not blocks or any(block.epoch == newest for block in kept)


def filled(*tallies: Tally) -> LedgerPane:
    pane = LedgerPane()
    for offset, tally in enumerate(tallies):
        pane = pane.with_tally(tally, offset=offset)
    return pane


def test_a_block_tallied_again_by_a_new_owner_counts_once() -> None:
    pane = filled(
        a_tally(0, rows=(0, 10), epoch=1),
        a_tally(0, rows=(10, 20), epoch=1),
        a_tally(0, rows=(0, 20), epoch=2),
    )

    assert pane.settled().flows["base"].seen == 20


def test_a_block_under_one_that_does_not_count_counts() -> None:
    """The block of epoch 2 gives way to that of epoch 3, and so no longer hides that of epoch 1."""
    pane = filled(
        a_tally(0, rows=(0, 10), epoch=1),
        a_tally(0, rows=(5, 20), epoch=2),
        a_tally(0, rows=(15, 25), epoch=3),
    )

    assert pane.settled().flows["base"].seen == 20


def test_the_same_offsets_of_two_partitions_are_different_rows() -> None:
    pane = filled(a_tally(0, rows=(0, 10)), a_tally(0, rows=(0, 10), partition=1))

    assert pane.settled().flows["base"].seen == 20


def test_a_final_ledger_takes_what_comes_late_and_counts_it() -> None:
    pane = filled(a_tally(0, rows=(0, 10), rejected=1)).closed()

    late = pane.with_tally(a_tally(0, rows=(10, 12), rejected=2), offset=9)

    assert late.flows["base"].seen == 12
    assert late.flows["base"].sampled == {SCORER: 12}
    assert (late.rejected, late.late, late.blocks, late.final) == (3, 1, (), True)
