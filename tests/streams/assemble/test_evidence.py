"""Passages get keys of their own, however many there are."""

import time

from streams.assemble.content.passages import RetrievedDocument
from streams.assemble.evidence import numbered


def keys_of(*found: RetrievedDocument) -> list[str]:
    return [passage.key for passage in numbered(found)]


def test_a_key_that_stands_twice_is_counted_up_past_those_that_are_taken() -> None:
    found = [RetrievedDocument(text, key) for text, key in zip("abcd", "kjkk", strict=True)]
    taken = RetrievedDocument("e", "k#2")

    assert keys_of(*found) == ["k", "j", "k#2", "k#3"]
    assert keys_of(taken, *found) == ["k#2", "k", "j", "k#3", "k#4"]


def test_a_great_many_passages_under_one_key_take_no_time() -> None:
    found = [RetrievedDocument(str(number), "k") for number in range(30_000)]
    started = time.process_time()

    passages = numbered(found)

    assert len({passage.key for passage in passages}) == len(found)
    assert time.process_time() - started < 5
