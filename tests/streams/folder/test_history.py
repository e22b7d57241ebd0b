from pathlib import Path

from streams.address import Topics, letter
from streams.folder.history import published_since
from streams.folder.writer import Entry, TopicWriter
from tests.streams.ports.messages import a_score

PAD = (("pad", b"x" * 900),)


def some_scores(root: Path, count: int) -> None:
    """Write scores of rows 0 to count, one a second."""
    writer = TopicWriter.open(root, "rag.scores")
    for n in range(count):
        sent = letter(a_score(offset=n, event_id=f"e{n}"), Topics())
        writer.append(0, [Entry(sent.key, sent.value, n * 1000, (*sent.headers, *PAD))])
    writer.close()


def published(root: Path, *, since: int) -> set[int]:
    found = published_since(root, "rag.scores", since=since, topic="rag.traces", mode=b"live")
    return set(found.get(0, {}))


def test_all_since_a_time_is_found_and_not_all_before_it_is_read(tmp_path: Path) -> None:
    some_scores(tmp_path, 2000)

    found = published(tmp_path, since=1_000_000)

    assert found >= set(range(1000, 2000))
    assert min(found) > 500


def test_from_the_beginning_on_everything_is_found(tmp_path: Path) -> None:
    some_scores(tmp_path, 2000)

    assert published(tmp_path, since=0) == set(range(2000))


def test_a_topic_that_is_not_there_has_nothing(tmp_path: Path) -> None:
    assert published(tmp_path, since=0) == set()
