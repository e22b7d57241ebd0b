from pathlib import Path

from streams.commits import Metadata, encode
from streams.folder.groups import Commit, join
from streams.folder.recovery import MARGIN, Reading, recover
from streams.folder.topic import make_topic, topic_id
from tests.streams.folder.test_history import some_scores

SECOND = 1000


def test_what_was_published_from_the_margin_before_the_commit_on_is_found(tmp_path: Path) -> None:
    files = make_topic(tmp_path / "rag.traces", partitions=1)
    files[0].write_bytes(b"{}\n" * 2000)
    identity = topic_id(tmp_path / "rag.traces")
    some_scores(tmp_path, 2000)
    group = join(tmp_path, "g")
    at = 1500
    metadata = encode(Metadata("1-1", identity, at * SECOND))
    group.commit("rag.traces", {0: Commit(offset=1200, metadata=metadata)})

    found = recover(Reading(root=tmp_path), group, files, topic_id=identity)
    group.leave()

    first = int(at - MARGIN.total_seconds())
    assert set(found[0].published) == set(range(first, 2000))
    assert found[0].since == at * SECOND
