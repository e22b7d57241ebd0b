"""The pages' commands end well in a folder where the demo was played."""

import pytest

from tests.docs.pages import Block
from tests.docs.scene import Scene, a_scene, to_run


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return a_scene(tmp_path_factory.mktemp("scene"))


@pytest.mark.service
@pytest.mark.parametrize("block", to_run(on_kafka=False), ids=lambda block: block.place)
def test_each_command_ends_well_or_runs_until_it_is_stopped(block: Block, scene: Scene) -> None:
    scene.play(block)
