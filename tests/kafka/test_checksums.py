"""What is vouched for is what aiokafka would have found sound, however a broker cut it off."""

import pytest
from aiokafka.record.default_records import DefaultRecordBatchBuilder
from aiokafka.record.legacy_records import LegacyRecordBatchBuilder
from aiokafka.record.memory_records import MemoryRecords
from hypothesis import given
from hypothesis import strategies as st

from streams.kafka.checksums import sound

HEADER = 61


def batch(values: list[bytes], *, codec: int = 0) -> bytes:
    """Return a batch of format 2, as producers write it."""
    builder = DefaultRecordBatchBuilder(2, codec, 0, -1, -1, -1, 1 << 20)
    for offset, value in enumerate(values):
        builder.append(offset, 1_700_000_000_000, b"key", value, [("h", b"v")])
    return bytes(builder.build())


def found_sound(fetched: bytes) -> bool:
    """Say what aiokafka says of all whole batches."""
    records = MemoryRecords(fetched)
    while (found := records.next_batch()) is not None:
        if not found.validate_crc():
            return False
    return True


BATCHES = st.lists(st.lists(st.binary(max_size=80), min_size=1, max_size=4), min_size=1, max_size=4)


@given(BATCHES, st.sampled_from([0, 1, 2]), st.integers(0, 200))
def test_whole_batches_are_vouched_for_wherever_the_last_one_is_cut_off(
    batches: list[list[bytes]], codec: int, cut: int
) -> None:
    fetched = b"".join(batch(values, codec=codec) for values in batches)
    fetched = fetched[: max(0, len(fetched) - cut)]
    assert found_sound(fetched)
    assert sound(fetched)


@given(BATCHES, st.data())
def test_a_changed_byte_is_noticed_wherever_the_checksum_speaks_of_it(
    batches: list[list[bytes]], data: st.DataObject
) -> None:
    parts = [batch(values) for values in batches]
    hit = data.draw(st.integers(0, len(parts) - 1))
    place = data.draw(st.integers(17, len(parts[hit]) - 1))  # from the checksum on
    broken = bytearray(parts[hit])
    broken[place] ^= data.draw(st.integers(1, 255))
    fetched = b"".join([*parts[:hit], bytes(broken), *parts[hit + 1 :]])
    assert not sound(fetched)
    assert not found_sound(fetched)


@given(BATCHES, st.integers(0, 16), st.integers(1, 255))
def test_whatever_stands_before_the_checksum_nothing_raises_nor_hangs(
    batches: list[list[bytes]], place: int, flip: int
) -> None:
    fetched = bytearray(b"".join(batch(values) for values in batches))
    fetched[place] ^= flip
    assert sound(bytes(fetched)) in {True, False}


@pytest.mark.parametrize("length", [-1, -(1 << 31), 0, 1, HEADER - 13])
def test_a_batch_that_is_too_short_to_be_one_is_not_vouched_for(length: int) -> None:
    head = (0).to_bytes(8) + length.to_bytes(4, signed=True)
    assert not sound(head + bytes(HEADER))


def test_older_formats_are_left_to_aiokafka() -> None:
    builder = LegacyRecordBatchBuilder(1, 0, 1 << 20)
    builder.append(0, timestamp=1, key=b"k", value=b"v" * 60)
    assert not sound(bytes(builder.build()))


def test_nothing_is_sound() -> None:
    assert sound(b"")
