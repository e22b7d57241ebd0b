"""The draw of a row: u = BLAKE2b(id bytes, key = salt, 8 bytes) / 2^64, kept iff u < p.

A draw is the eight bytes of the hash, the greatest first. So written, draws compare as their
numbers do, and none of the many rows is turned into a number.
"""

import hashlib
from binascii import unhexlify
from collections.abc import Callable
from math import ceil

_BYTES = 8
_SPACE = 1 << 8 * _BYTES
_HEX_DIGITS = 32


def drawing(salt: str) -> Callable[[bytes], bytes]:
    """Return the function from a trace id (UTF-8) to its draw."""
    start = hashlib.blake2b(key=salt.encode(), digest_size=_BYTES).copy  # one hash of the key

    def draw(trace_id: bytes) -> bytes:
        digest = start()
        try:  # this runs for every row there is: the usual id costs no call of ours
            digest.update(
                unhexlify(trace_id) if len(trace_id) == _HEX_DIGITS else id_bytes(trace_id)
            )
        except ValueError:
            digest.update(trace_id)
        return digest.digest()

    return draw


def share(draw: bytes) -> float:
    """Return a draw as u in [0, 1)."""
    return int.from_bytes(draw) / _SPACE


def id_bytes(trace_id: bytes) -> bytes:
    """Return a hex id's 16 raw bytes, dashes and case aside; any other id as it is written."""
    digits = trace_id if len(trace_id) == _HEX_DIGITS else trace_id.replace(b"-", b"")
    if len(digits) != _HEX_DIGITS:
        return trace_id
    try:
        return unhexlify(digits)
    except ValueError:
        return trace_id


def bound_of(probability: float) -> bytes:
    """Return what the draws below a probability in (0, 1] are below: at 1, all of them are."""
    bound = ceil(probability * _SPACE)
    return bound.to_bytes(_BYTES) if bound < _SPACE else b"\xff" * (_BYTES + 1)
