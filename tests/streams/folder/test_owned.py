from pathlib import Path

from streams.folder.log import LogReader
from streams.folder.owned import Owned
from streams.folder.topic import TopicPartition
from streams.tracker import Tracker


def owned(folder: Path, tracker: Tracker, *, rows: int) -> Owned:
    file = folder / "0.jsonl"
    file.write_bytes(b"{}\n" * rows)
    return Owned(TopicPartition("t", 0, epoch=tracker.epoch), LogReader(file), tracker)


def test_no_more_is_handed_out_than_the_tracker_has_room_for(tmp_path: Path) -> None:
    one = owned(tmp_path, Tracker(0, span=300), rows=1000)

    assert [len(one.take()) for _ in range(3)] == [256, 44, 0]

    one.tracker.passed(299)
    one.tracker.seal(300)
    assert len(one.take()) == 256


def test_a_row_comes_with_what_earlier_lives_did_of_it(tmp_path: Path) -> None:
    one = owned(tmp_path, Tracker(1, epoch=7, earlier=b"\x02"), rows=4)
    one.published = {3: frozenset({"e"})}

    found = one.take()

    assert [(r.offset, r.epoch, r.finished, r.published) for r in found] == [
        (1, 7, False, frozenset()),
        (2, 7, True, frozenset()),
        (3, 7, False, frozenset({"e"})),
    ]


def test_a_commit_keeps_the_earlier_time_until_a_row_published_before_it_is_committed(
    tmp_path: Path,
) -> None:
    one = owned(tmp_path, Tracker(0), rows=4)
    one.since, one.published = 1000, {1: frozenset({"e"})}
    assert one.committed_at(2000) == 1000

    for record in one.take():
        one.tracker.open(record.offset)
    one.tracker.done(0)
    assert one.committed_at(3000) == 1000

    one.tracker.done(1)
    assert one.committed_at(4000) == 1000

    one.tracker.seal(2)
    assert one.committed_at(5000) == 5000
