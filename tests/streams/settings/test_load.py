"""What the settings are, and what a file changes of them."""

from pathlib import Path

import pytest

from schemas.quantities import written_duration
from streams.settings.load import Settings, load
from tests.streams.settings.loading import Write

HANDED_OVER = Path(__file__).parents[4] / "shared" / "specs" / "streamgauge.yaml"


def test_without_a_file_everything_has_its_default() -> None:
    assert load(None) == Settings()


def test_an_empty_file_changes_nothing(write: Write) -> None:
    assert load(write("# nothing yet\n")) == Settings()


@pytest.mark.skipif(not HANDED_OVER.exists(), reason=f"SKIPPED: {HANDED_OVER} is not here")
def test_the_handed_over_file_loads_whole_and_says_the_defaults() -> None:
    assert load(HANDED_OVER) == Settings()


def test_a_file_changes_only_what_it_names(write: Write) -> None:
    changed = load(write("watch: {lateness: 10m}\nscorers: {faithfulness: {pass_at: 0.9}}"))

    assert written_duration(changed.watch.lateness) == "10m"
    assert changed.watch.windows == Settings().watch.windows
    assert changed.scorers.faithfulness is not None
    assert changed.scorers.faithfulness.pass_at == 0.9
    assert changed.scorers.citation_accuracy == Settings().scorers.citation_accuracy


def test_null_turns_a_scorer_off(write: Write) -> None:
    changed = load(write("scorers: {citation_accuracy: null}"))

    assert changed.scorers.on == ("faithfulness",)


def test_each_scorer_may_have_a_probability_of_its_own(write: Write) -> None:
    changed = load(write("scorers: {citation_accuracy: {probability: 0.01}}"))

    assert changed.scorers.probabilities == {"faithfulness": None, "citation_accuracy": 0.01}


def test_the_folder_of_the_topics_is_known(write: Write) -> None:
    assert load(write("broker: folder:./data")).folder == Path("data")


def test_settings_cannot_be_changed_once_read() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().sampling.probability = 1
