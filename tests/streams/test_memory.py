import gc
import platform
import subprocess
import sys

import pytest

from streams.memory import YOUNG, suited_to_streams

FAULTS = """
import resource
from streams.memory import keep_buffers

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for size in range(50):
        bytearray((1 << 20) + size * (1 << 15))
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

usual = faults()
assert keep_buffers()
faults()
print(usual, faults())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is told so")
def test_large_buffers_come_to_lie_where_the_last_ones_lay() -> None:
    """In a process of its own, since this lasts as long as the process."""
    told = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", FAULTS], check=True, stdout=subprocess.PIPE
    )

    usual, kept = map(int, told.stdout.split())
    assert usual > 50
    assert kept < usual / 10


def test_garbage_is_looked_for_seldom_until_the_end() -> None:
    usual = gc.get_threshold()

    with suited_to_streams():
        assert gc.get_threshold()[0] == YOUNG

    assert gc.get_threshold() == usual
