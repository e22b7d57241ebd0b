"""The pages' commands end well in a folder where the demo was played, each page in its own."""

from collections.abc import Callable
from functools import cache

import pytest

from tests.docs.pages import Block
from tests.docs.scene import Scene, copied, played, snippets, to_run

pytestmark = [pytest.mark.service, pytest.mark.timeout(600)]

SceneOf = Callable[[str], Scene]


@pytest.fixture(scope="module")
def scene_of(tmp_path_factory: pytest.TempPathFactory) -> SceneOf:
    """Return the scene of a page, in which its blocks see what those above them did."""
    stage = played(tmp_path_factory.mktemp("stage"))

    @cache
    def of(page: str) -> Scene:
        return copied(stage, tmp_path_factory.mktemp("page") / "scene")

    return of


@pytest.mark.parametrize("block", to_run(on_kafka=False), ids=lambda block: block.place)
def test_each_command_ends_well_or_runs_until_it_is_stopped(
    block: Block, scene_of: SceneOf
) -> None:
    scene_of(block.page).play(block)


@pytest.mark.parametrize("block", snippets(on_kafka=False), ids=lambda block: block.place)
def test_each_snippet_of_python_ends_well(block: Block, scene_of: SceneOf) -> None:
    scene_of(block.page).run_python(block)
