"""What the command line says of a replay."""

import pytest

from streams.replay.asked import Asked, Limit, Shard, limit, run_name, shard


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ([], None),
        (["none"], Limit()),
        (["2000calls"], Limit(calls=2000)),
        (["12.50usd"], Limit(cost_usd=12.5)),
        (["1USD", " 5calls "], Limit(calls=5, cost_usd=1)),
    ],
)
def test_a_budget_is_a_sum_or_a_number_of_calls_or_both(
    texts: list[str], found: Limit | None
) -> None:
    assert limit(texts) == found


@pytest.mark.parametrize(
    "texts", [["12"], ["-1usd"], ["1.5calls"], ["1usd", "2usd"], ["nanusd"], ["none", "1usd"]]
)
def test_anything_else_is_refused_as_a_budget(texts: list[str]) -> None:
    with pytest.raises(ValueError, match=r"."):
        limit(texts)


def test_shards_share_out_every_partition_once() -> None:
    shards = [shard(f"{number}/3") for number in (1, 2, 3)]

    assert [[one.has(n) for one in shards].count(True) for n in range(12)] == [1] * 12


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "1/0", "a/b"])
def test_a_part_that_there_is_not_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="1/4"):
        shard(text)


@pytest.mark.parametrize("text", ["live", "", "a|b", "a/b", ".x", "--dry-run", "x" * 101])
def test_a_name_that_files_or_keys_could_not_bear_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="run's name"):
        run_name(text)


def test_no_run_has_the_group_of_another_runs_shard() -> None:
    with pytest.raises(ValueError, match="1of4"):
        run_name("r1-2of3")

    assert run_name("r1-2of3-again") == "r1-2of3-again"


def test_a_shard_commits_for_a_group_of_its_own() -> None:
    asked = Asked(run="r1", shard=Shard(2, 3))

    assert asked.key == "r1|2/3"
    assert asked.group("streamgauge") == "streamgauge-replay-r1-2of3"
    assert Asked(run="r1").group("streamgauge") == "streamgauge-replay-r1"
