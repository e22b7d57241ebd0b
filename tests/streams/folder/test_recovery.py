from pathlib import Path

from streams.commits import Metadata, encode
from streams.folder.groups import Commit, join
from streams.folder.log import LogReader
from streams.folder.recovery import MARGIN, recover
from streams.folder.topic import make_topic, topic_id
from streams.subscription import Subscription
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

    logs = {0: LogReader(files[0])}
    found = recover(tmp_path, Subscription(), group, logs, topic_id=identity)
    group.leave()

    first = int(at - MARGIN.total_seconds())
    assert set(found[0].published) == set(range(first, 2000))
    assert found[0].since == at * SECOND
