import os

from streams.processes import alive

HIGHEST = 2**22
"""No process of Linux has an id from there on."""


def test_this_process_runs() -> None:
    assert alive(os.getpid())


def test_a_process_that_cannot_be_does_not_run() -> None:
    assert not alive(HIGHEST)
