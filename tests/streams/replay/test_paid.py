from datetime import timedelta
from pathlib import Path

from schemas.run import Run, Spent, Stretch
from schemas.score import ScoreEvent, Usage
from streams.address import Topics
from streams.folder.glance import FolderGlance
from streams.folder.sink import FolderSink
from streams.replay.paid import paid
from tests.streams.watch.records import MIDNIGHT, a_score, failed

TOPICS = Topics()
PAID = Usage(calls=1, attempts=2, input_tokens=100, output_tokens=10, cost_usd=0.25)


def a_run(*, spent: Spent | None = None, partitions: tuple[int, ...] = (0, 1)) -> Run:
    return Run(
        run="r1",
        topic="rag.traces",
        of=2,
        began_at=MIDNIGHT,
        at=MIDNIGHT,
        frozen={},
        configs={},
        share=0.3,
        partitions={number: Stretch(start=0, end=9) for number in partitions},
        spent=spent or Spent(),
    )


def bought(row: int, *, run: str | None = "r1", partition: int = 0) -> ScoreEvent:
    return a_score(row, 0, run=run, partition=partition).model_copy(update={"usage": PAID})


async def written(root: Path, *events: ScoreEvent, minute: int = 0) -> FolderGlance:
    at = MIDNIGHT + timedelta(minutes=minute)
    async with FolderSink(root, TOPICS, lambda: at, "g", "0") as sink:
        await sink.publish(events)
    return FolderGlance(root)


async def test_what_a_run_published_says_what_it_paid(tmp_path: Path) -> None:
    again = a_score(3, 0, run="r1").model_copy(update={"reused": True})
    broken = a_score(4, 0, failed(), run="r1").model_copy(update={"usage": PAID})
    others = (bought(5, run=None), bought(6, run="r2"))
    glance = await written(tmp_path, bought(1), bought(2, partition=1), again, broken, *others)

    found = await paid(glance, TOPICS.scores, a_run())

    assert found == Spent(
        judged=2,
        reused=1,
        errors=1,
        calls=6,
        input_tokens=300,
        output_tokens=30,
        cost_usd=0.75,
    )


async def test_a_shard_pays_for_its_own_partitions(tmp_path: Path) -> None:
    glance = await written(tmp_path, bought(1), bought(2, partition=1))

    found = await paid(glance, TOPICS.scores, a_run(partitions=(1,)))

    assert (found.judged, found.calls) == (1, 2)


async def test_what_the_manifest_knows_better_is_believed(tmp_path: Path) -> None:
    glance = await written(tmp_path, bought(1), bought(2))
    told = Spent(rows=90, sampled=9, judged=1, calls=50, cost_usd=0.1)

    found = await paid(glance, TOPICS.scores, a_run(spent=told))

    assert (found.rows, found.sampled, found.judged, found.calls) == (90, 9, 2, 50)
    assert found.cost_usd == 0.5


async def test_what_an_older_run_of_the_name_paid_is_not_counted(tmp_path: Path) -> None:
    glance = await written(tmp_path, bought(1), minute=-60)

    assert await paid(glance, TOPICS.scores, a_run()) == Spent()


async def test_a_run_without_a_scores_topic_has_paid_nothing(tmp_path: Path) -> None:
    assert await paid(FolderGlance(tmp_path), TOPICS.scores, a_run()) == Spent()
