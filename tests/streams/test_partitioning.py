import pytest

from streams.partitioning import murmur2, partition_of


@pytest.mark.parametrize(
    ("data", "signed"),
    [
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_the_hash_is_the_one_of_kafkas_own_client(data: bytes, signed: int) -> None:
    assert murmur2(data) == signed % 2**32


def test_a_key_has_its_partition_whatever_the_sign_of_its_hash() -> None:
    assert partition_of(b"foobar", 8) == (-790332482 & 0x7FFFFFFF) % 8
    assert partition_of(b"abc", 8) == 479470107 % 8
    assert partition_of(b"", 1) == 0
