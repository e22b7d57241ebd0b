"""Files that are no settings, and how all that is wrong with one is said."""

from pathlib import Path

import pytest

from streams.settings.load import load
from streams.settings.problems import SettingsError
from tests.streams.settings.loading import Write, problems

NO_FILES = {
    "no YAML": ("sampling: [", "expected"),
    "a list": ("- sampling", "mapping of sections"),
    "one key twice": ("sampling: {}\nsampling: {}", "twice"),
    "one key twice inside": ("sampling: {salt: a, salt: b}", "twice"),
    "a key that YAML takes for yes": ("criteria: [{answers: {yes: good}}]", '"yes" in quotes'),
    "a call for Python": ("broker: !!python/object/apply:os.getcwd []", "tag"),
    "a nest": ("a: " + "[" * 500, "too deep"),
}


@pytest.mark.parametrize(("text", "says"), NO_FILES.values(), ids=NO_FILES)
def test_a_file_that_is_no_settings_file_is_refused_by_its_name(
    text: str, says: str, write: Write
) -> None:
    path = write(text)

    [(where, said)] = problems(path).items()

    assert where.startswith(str(path))
    assert says in said


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none.yaml"

    assert problems(path) == {str(path): "cannot be read: No such file or directory"}


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.yaml"
    path.write_bytes("broker: folder:ä".encode("latin-1"))

    assert problems(path) == {str(path): "cannot be read: it is not UTF-8"}


def test_all_that_is_wrong_is_said_at_once(write: Write) -> None:
    said = problems(
        write(
            """
            sampel: {}
            sampling: {probability: 2, salt: ""}
            judge: {kind: chat, row_deadline: 10}
            telemetry: {attach_to: leaf}
            watch: {windows: [soon]}
            """
        )
    )

    assert set(said) == {
        "sampel",
        "sampling.probability",
        "sampling.salt",
        "judge.row_deadline",
        "telemetry.attach_to",
        "watch.windows.0",
    }


def test_the_error_reads_as_one_line_for_each_problem(write: Write) -> None:
    with pytest.raises(SettingsError) as refused:
        load(write("sampling: {probability: 2}\nbroker: here"))

    assert str(refused.value).splitlines() == [
        "broker: write folder:PATH, or kafka://HOST:PORT with commas between several",
        "sampling.probability: should be less than or equal to 1",
    ]
