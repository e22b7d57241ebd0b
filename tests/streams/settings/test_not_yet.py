"""Keys that nothing reads yet: refused, but for their defaults."""

import pytest
import yaml

from streams.settings.load import Settings, load
from streams.settings.not_yet import NOT_YET
from tests.streams.settings.commented import commented
from tests.streams.settings.loading import Write, problems

NOT_SERVED = {
    "other weights": ("sampling: {weights: population}", "sampling.weights"),
}


@pytest.mark.parametrize(("text", "path"), NOT_SERVED.values(), ids=NOT_SERVED)
def test_a_key_that_nothing_reads_yet_is_refused(text: str, path: str, write: Write) -> None:
    assert NOT_YET.get(path, "not served yet") in problems(write(text))[path]


def test_a_key_that_nothing_reads_yet_may_say_its_default(write: Write) -> None:
    assert load(write("kafka: {partitions: 8}\nsampling: {weights: observed}"))


@pytest.mark.parametrize("path", NOT_YET)
def test_every_key_that_is_not_served_exists(path: str) -> None:
    *sections, key = path.split(".")
    found = yaml.safe_load(commented(Settings()))

    for section in sections:
        found = found[section]

    assert key in found
