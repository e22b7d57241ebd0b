"""The pages' commands that speak to Kafka end well on a real broker."""

from dataclasses import asdict, replace

import pytest

from streams.address import Topics
from tests.docs.pages import Block
from tests.docs.scene import Scene, a_scene, to_run

SHOWN = "127.0.0.1:9092"
"""The broker of the pages."""


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return a_scene(tmp_path_factory.mktemp("scene"))


@pytest.mark.service
@pytest.mark.parametrize("block", to_run(on_kafka=True), ids=lambda block: block.place)
def test_each_command_on_kafka_ends_well_or_runs_until_it_is_stopped(
    block: Block, scene: Scene, kafka: str, topics: Topics
) -> None:
    names = {f"STREAMGAUGE_TOPICS__{key.upper()}": name for key, name in asdict(topics).items()}
    names |= {
        "STREAMGAUGE_KAFKA__GROUP": topics.traces,
        "STREAMGAUGE_ASSEMBLE__TOPIC": f"{topics.traces}.spans",
    }
    there = replace(scene, stands_for={**scene.stands_for, SHOWN: kafka}, on_kafka=names)
    there.run(f"streamgauge topics create --broker kafka://{SHOWN}")

    there.play(block)
