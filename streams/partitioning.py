"""Which partition a key belongs to: Kafka's own choice, so that both adapters agree. Pure."""

from functools import lru_cache

_M = 0x5BD1E995
_MASK = 0xFFFFFFFF


def murmur2(data: bytes) -> int:
    """Return the 32-bit MurmurHash2 of the data, seeded as Kafka's default partitioner does."""
    h = 0x9747B28C ^ len(data)
    whole = len(data) & ~3
    for at in range(0, whole, 4):
        k = int.from_bytes(data[at : at + 4], "little") * _M & _MASK
        h = h * _M & _MASK ^ (k ^ k >> 24) * _M & _MASK
    if rest := data[whole:]:
        h = (h ^ int.from_bytes(rest, "little")) * _M & _MASK
    h = (h ^ h >> 13) * _M & _MASK
    return h ^ h >> 15


@lru_cache(maxsize=65536)
def partition_of(key: bytes, partitions: int) -> int:
    """Return the partition of a key, in [0, partitions)."""
    return (murmur2(key) & 0x7FFFFFFF) % partitions
