"""The pages' commands that speak to Kafka end well on a real broker."""

from dataclasses import asdict, replace

import pytest

from streams.address import Topics
from tests.docs.pages import Block
from tests.docs.scene import Scene, a_scene, snippets, to_run

pytestmark = [pytest.mark.service, pytest.mark.timeout(600)]

SHOWN = "127.0.0.1:9092"
"""The broker of the pages."""


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return a_scene(tmp_path_factory.mktemp("scene"))


@pytest.fixture
def there(scene: Scene, kafka: str, topics: Topics) -> Scene:
    """The scene with a broker that has our topics, under names of this test's own."""
    names = {f"STREAMGAUGE_TOPICS__{key.upper()}": name for key, name in asdict(topics).items()}
    names |= {
        "STREAMGAUGE_KAFKA__GROUP": topics.traces,
        "STREAMGAUGE_ASSEMBLE__TOPIC": f"{topics.traces}.spans",
    }
    named = {
        SHOWN: kafka,
        '"rag.traces"': f'"{topics.traces}"',
        '"rag.scores"': f'"{topics.scores}"',
    }
    found = replace(scene, stands_for={**scene.stands_for, **named}, on_kafka=names)
    found.run(f"streamgauge topics create --broker kafka://{SHOWN}")
    return found


@pytest.mark.parametrize("block", to_run(on_kafka=True), ids=lambda block: block.place)
def test_each_command_on_kafka_ends_well_or_runs_until_it_is_stopped(
    block: Block, there: Scene
) -> None:
    there.play(block)


def test_a_row_that_is_written_as_shown_is_scored_and_read_as_shown(there: Scene) -> None:
    write, read = snippets(on_kafka=True)

    there.run_python(write)
    there.run(f"streamgauge score --broker kafka://{SHOWN} --once --sampling-probability 1")

    there.run_python(read, until=r"(?m)^t-3 faithfulness supported$")
