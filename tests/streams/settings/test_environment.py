"""What the environment changes of the settings, and which of its variables are refused."""

from pathlib import Path

import pytest

from schemas.quantities import written_duration
from streams.settings.load import Settings, exported_by_environment, load
from tests.streams.settings.loading import Write, problems


def test_an_option_of_the_command_line_wins_over_all(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STREAMGAUGE_BROKER", "folder:environment")
    monkeypatch.setenv("STREAMGAUGE_SAMPLING__SALT", "environment")

    changed = load(
        write("broker: folder:file\nsampling: {probability: 0.3}"),
        {"broker": "folder:option", "sampling": {"by": "body"}},
    )

    assert changed.folder == Path("option")
    assert changed.sampling.salt == "environment"
    assert changed.sampling.probability == 0.3


def test_the_environment_wins_over_the_file_key_by_key(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STREAMGAUGE_SAMPLING__PROBABILITY", "0.1")
    monkeypatch.setenv("STREAMGAUGE_WATCH__WINDOWS", '["5m", "2h"]')
    monkeypatch.setenv("STREAMGAUGE_SCORERS__CITATION_ACCURACY", "null")
    monkeypatch.setenv("STREAMGAUGE_INTAKE__FIELDS__QUESTION", "payload.text")

    changed = load(
        write("sampling: {probability: 0.9, salt: other}\nintake: {fields: {answer: a}}")
    )

    assert (changed.sampling.probability, changed.sampling.salt) == (0.1, "other")
    assert [written_duration(window) for window in changed.watch.windows] == ["5m", "2h"]
    assert changed.scorers.on == ("faithfulness",)
    assert changed.intake.fields == {"answer": "a", "question": "payload.text"}


def test_the_settings_themselves_read_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STREAMGAUGE_SAMPLING__PROBABILITY", "0.1")

    assert Settings().sampling.probability == 0.05


WRONG_VARIABLES = {
    "a misspelt key": ("SAMPLING__PROBABLITY", "1", "did you mean STREAMGAUGE_SAMPLING__PROBA"),
    "a misspelt section": ("SAMPLNG__PROBABILITY", "1", "did you mean STREAMGAUGE_SAMPLING__PROB"),
    "one underscore": ("SAMPLING_PROBABILITY", "1", "did you mean STREAMGAUGE_SAMPLING__PROBA"),
    "a key within a value": ("BROKER__HOST", "x", "no such key"),
    "an item of a list": ("ALERTS__0__KIND", "blind", "no such key"),
    "a list that is no JSON": ("WATCH__WINDOWS", "5m", "written as JSON"),
    "a section that is no JSON": ("SAMPLING", "probability=1", "written as JSON"),
    "a sink of no kind": ("SINK_LANGFUSEE_KEY", "s3cret", "no such key"),
    "a misspelt secret": ("CHATKEY", "s3cret", "no such key"),
}


@pytest.mark.parametrize(("name", "value", "says"), WRONG_VARIABLES.values(), ids=WRONG_VARIABLES)
def test_a_variable_that_would_change_nothing_is_refused(
    name: str, value: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"STREAMGAUGE_{name}", value)

    said = problems(None)

    assert list(said) == [f"STREAMGAUGE_{name}"]
    assert says in said[f"STREAMGAUGE_{name}"]
    assert "s3cret" not in str(said)


def test_a_wrong_value_says_which_variable_it_is_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STREAMGAUGE_SAMPLING__PROBABILITY", "2")

    assert "set by STREAMGAUGE_SAMPLING__PROBABILITY" in problems(None)["sampling.probability"]


EXPORTING = {
    "nothing is set": ({}, set()),
    "a collector": (
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"},
        {"metrics", "traces", "logs"},
    ),
    "one for metrics": ({"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://c:4318"}, {"metrics"}),
    "one for traces": ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:4318"}, {"traces"}),
    "metrics are off": (
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_METRICS_EXPORTER": "none"},
        {"traces", "logs"},
    ),
    "all is off": (
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_SDK_DISABLED": "true"},
        set(),
    ),
}


@pytest.mark.parametrize(("variables", "exports"), EXPORTING.values(), ids=EXPORTING)
def test_signals_are_sent_where_the_variables_of_opentelemetry_say(
    variables: dict[str, str], exports: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert exported_by_environment() == exports


def test_the_tests_own_variables_are_let_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STREAMGAUGE_TEST_KAFKA", "127.0.0.1:9092")
    monkeypatch.setenv("STREAMGAUGE_REQUIRE_TOOLS", "1")

    assert load(None) == Settings()
