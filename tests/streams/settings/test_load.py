"""What the settings are, what changes them, and how what is wrong with them is said."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from schemas.quantities import written_duration
from streams.settings.commented import commented
from streams.settings.load import Settings, exports_by_environment, load, read_secrets
from streams.settings.not_yet import NOT_YET
from streams.settings.problems import SettingsError

ROOT = Path(__file__).parents[3]
HANDED_OVER = ROOT.parent / "shared" / "specs" / "streamgauge.yaml"

Write = Callable[[str], Path]


@pytest.fixture(autouse=True)
def _no_variables_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STREAMGAUGE_TEST_KAFKA", "STREAMGAUGE_REQUIRE_TOOLS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a settings file and return its path."""

    def written(text: str) -> Path:
        path = tmp_path / "streamgauge.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return written


def problems(path: Path | None) -> dict[str, str]:
    """Load what must be refused, and return what is said of each path."""
    with pytest.raises(SettingsError) as refused:
        load(path)
    return dict(refused.value.problems)


def test_without_a_file_everything_has_its_default() -> None:
    assert load(None) == Settings()


def test_an_empty_file_changes_nothing(write: Write) -> None:
    assert load(write("# nothing yet\n")) == Settings()


@pytest.mark.skipif(not HANDED_OVER.exists(), reason=f"SKIPPED: {HANDED_OVER} is not here")
def test_the_handed_over_file_loads_whole_and_says_the_defaults() -> None:
    assert load(HANDED_OVER) == Settings()


def test_the_commented_file_reads_back_as_the_same_settings(write: Write) -> None:
    changed = load(
        write(
            """
            sampling:
              probability: 0.5
              strata: [{name: qa, when: {environment: qa}, probability: 1}]
            scorers: {faithfulness: null}
            kafka: {start: 2026-01-31T09:15:00Z}
            alerts: []
            """
        )
    )

    assert load(write(commented(changed))) == changed


def test_the_page_on_settings_shows_the_defaults() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")

    shown = page.split("```yaml\n", 1)[1].split("```", 1)[0]

    assert shown == commented(Settings()), "paste commented(Settings()) there"


def test_every_key_says_what_it_is_for() -> None:
    shown = commented(Settings()).splitlines()

    for line, above in zip(shown[1:], shown, strict=False):
        key = line.lstrip()
        if key[0] not in "#-":
            assert above.lstrip().startswith("#"), line
            assert above.lstrip("# "), line


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


def test_settings_cannot_be_changed_once_read() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().sampling.probability = 1


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
    "nothing is set": ({}, False),
    "a collector": ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, True),
    "one for metrics": ({"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://c:4318"}, True),
    "one for traces": ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:4318"}, False),
    "metrics are off": (
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_METRICS_EXPORTER": "none"},
        False,
    ),
    "all is off": (
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_SDK_DISABLED": "true"},
        False,
    ),
}


@pytest.mark.parametrize(("variables", "exports"), EXPORTING.values(), ids=EXPORTING)
def test_metrics_are_sent_where_the_variables_of_opentelemetry_say(
    variables: dict[str, str], exports: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert exports_by_environment() is exports


def test_the_tests_own_variables_are_let_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STREAMGAUGE_TEST_KAFKA", "127.0.0.1:9092")
    monkeypatch.setenv("STREAMGAUGE_REQUIRE_TOOLS", "1")

    assert load(None) == Settings()


def test_secrets_come_from_the_environment_and_print_as_stars(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STREAMGAUGE_CHAT_KEY", "s3cret")
    monkeypatch.setenv("STREAMGAUGE_DECISIONS_KEY", "")
    monkeypatch.setenv("STREAMGAUGE_NOTIFY_ON_CALL_URL", "https://hooks/s3cret")
    monkeypatch.setenv("STREAMGAUGE_SINK_LANGFUSE_KEY", "s3cret")

    secrets = read_secrets()

    assert load(None) == Settings()
    assert secrets.chat_key is not None
    assert secrets.chat_key.get_secret_value() == "s3cret"
    assert secrets.decisions_key is None
    assert (set(secrets.notify_urls), set(secrets.sink_keys)) == ({"ON_CALL"}, {"LANGFUSE"})
    assert "s3cret" not in repr(secrets)


@pytest.mark.parametrize("key", ["s3cret\n", "s3 cret", "s3cr\u00e9t", "s3cret\r\nx: y"])
@pytest.mark.parametrize("name", ["CHAT", "DECISIONS", "SINK_LANGFUSE"])
def test_a_key_that_no_header_can_carry_is_named_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, name: str, key: str
) -> None:
    monkeypatch.setenv(f"STREAMGAUGE_{name}_KEY", key)

    with pytest.raises(SettingsError, match=f"STREAMGAUGE_{name}_KEY: holds") as refused:
        load(None)

    assert "s3" not in str(refused.value)


def test_no_file_may_hold_a_secret(write: Write) -> None:
    said = problems(write("judge: {chat: {key: s3cret}}"))

    assert "no such key" in said["judge.chat.key"]
    assert "s3cret" not in str(said)


NO_FILES = {
    "no YAML": ("sampling: [", "expected"),
    "a list": ("- sampling", "mapping of sections"),
    "one key twice": ("sampling: {}\nsampling: {}", "twice"),
    "one key twice inside": ("sampling: {salt: a, salt: b}", "twice"),
    "a key that YAML takes for yes": ("criteria: [{answers: {yes: good}}]", '"yes" in quotes'),
    "a call for Python": ("broker: !!python/object/apply:os.getcwd []", "tag"),
    "a nest": ("a: " + "[" * 1_500, "too deep"),
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


WRONG_VALUES = {
    "an unknown section": ("sampel: {}", "sampel", "no such key"),
    "an unknown key": ("sampling: {probabilty: 1}", "sampling.probabilty", "mean probability?"),
    "a parameter of the library": ("_env_file: x", "_env_file", "no such key"),
    "no section": ("sampling: 0.5", "sampling", "mapping"),
    "an emptied section": ("sampling:", "sampling", "mapping"),
    "a probability of 0": ("sampling: {probability: 0}", "sampling.probability", "greater than 0"),
    "a probability over 1": ("sampling: {probability: 5}", "sampling.probability", "to 1"),
    "a probability of yes": ("sampling: {probability: yes}", "sampling.probability", "number"),
    "a probability of NaN": ("sampling: {probability: .nan}", "sampling.probability", "should be"),
    "a scorer's probability": (
        "scorers: {citation_accuracy: {probability: 1.5}}",
        "scorers.citation_accuracy.probability",
        "to 1",
    ),
    "a long salt": (f"sampling: {{salt: {'s' * 65}}}", "sampling.salt", "64 bytes"),
    "a stratum that catches all": (
        "sampling: {strata: [{name: a, when: {}, probability: 1}]}",
        "sampling.strata.0.when",
        "at least 1",
    ),
    "a stratum without a value": (
        "sampling: {strata: [{name: a, when: {model: []}, probability: 1}]}",
        "sampling.strata.0.when.model",
        "one short value",
    ),
    "a stratum called base": (
        "sampling: {strata: [{name: base, when: {a: b}, probability: 1}]}",
        "sampling.strata",
        "differ",
    ),
    "pass_at out of range": (
        "scorers: {faithfulness: {pass_at: 70}}",
        "scorers.faithfulness.pass_at",
        "to 1",
    ),
    "a scale of 0": ("scorers: {faithfulness: {scale: 0}}", "scorers.faithfulness.scale", "than 0"),
    "history by itself": (
        "scorers: {faithfulness: {evidence: [history]}}",
        "scorers.faithfulness",
        "all_evidence",
    ),
    "a consistency range": (
        "scorers: {factual_consistency: {min: 1, max: 0}}",
        "scorers.factual_consistency",
        "min must be less",
    ),
    "a bare duration": ("watch: {lateness: 300}", "watch.lateness", "needs a unit"),
    "an endless duration": ("watch: {lateness: 99999999999999d}", "watch.lateness", "too large"),
    "a bare size": ("intake: {max_bytes: 1MB}", "intake.max_bytes", "MiB"),
    "no windows": ("watch: {windows: []}", "watch.windows", "one at least"),
    "windows that are no list": ("watch: {windows: 5m}", "watch.windows", "list"),
    "a time without a zone": ("kafka: {start: 2026-01-31T09:15:00}", "kafka.start", "zone"),
    "an odd broker": ("broker: localhost:9092", "broker", "folder:PATH"),
    "an empty folder": ("broker: 'folder:'", "broker", "folder:PATH"),
    "a topic name": ("topics: {dead: a b}", "topics.dead", "topic name"),
    "an assistant in one part": (
        "intake: {assistant: shop}",
        "intake.assistant",
        "shop/production",
    ),
    "a field that no row has": (
        "intake: {fields: {text: a}}",
        "intake.fields",
        "no field of a row",
    ),
    "an address": ("telemetry: {otlp: collector}", "telemetry.otlp", "https://"),
    "a bad pattern": ("judge: {redact: ['(']}", "judge.redact.0", "regular expression"),
    "a pattern of nothing": ("judge: {redact: [email, 'x?']}", "judge.redact.1", "empty text"),
    "a slow pattern": ("judge: {redact: ['a+']}", "judge.redact.0", "a small maximum"),
    "an alert of no kind": ("alerts: [{name: a}]", "alerts.0", "kind has to be given"),
    "an alert of an unknown kind": ("alerts: [{name: a, kind: b}]", "alerts.0", "kind has to be"),
    "a cusum that barely rises": (
        "alerts: [{name: a, kind: cusum, scorer: faithfulness, from: 0.05, to: 0.06}]",
        "alerts.0",
        "1.5 times from",
    ),
    "a pair whose short window is long": (
        "alerts: [{name: a, kind: burn_rate, scorer: faithfulness, "
        "pairs: [{long: 5m, short: 1h, burn: 5}]}]",
        "alerts.0.pairs.0",
        "shorter than long",
    ),
    "a segment called as a label is": (
        "alerts: [{name: a, kind: regression, scorer: faithfulness, by: severity}]",
        "alerts.0.by",
        "another attribute",
    ),
    "an alert's unknown key": (
        "alerts: [{name: a, kind: blind, below: 1}]",
        "alerts.0.below",
        "no such key",
    ),
    "an alert without a bound": (
        "alerts: [{name: a, kind: threshold, scorer: faithfulness}]",
        "alerts.0.above",
        "has to be given",
    ),
}


@pytest.mark.parametrize(("text", "path", "says"), WRONG_VALUES.values(), ids=WRONG_VALUES)
def test_a_wrong_value_is_refused_with_its_path(
    text: str, path: str, says: str, write: Write
) -> None:
    said = problems(write(text))

    assert says in said[path]


IMPOSSIBLE = {
    "key and strata": (
        "sampling: {by: key, strata: [{name: a, when: {b: c}, probability: 1}]}\n"
        "intake: {assistant: shop/production}",
        "sampling.by",
        "strata",
    ),
    "key and no assistant": ("sampling: {by: key}", "sampling.by", "set intake.assistant"),
    "one topic for two things": ("topics: {dead: rag.scores}", "topics", "rag.scores stands 2"),
    "three segments": ("watch: {segments: [a, b, c]}", "watch.segments", "at most 2"),
    "one segment twice": ("watch: {segments: [a, a]}", "watch.segments", "a stands 2 times"),
    "minutes that close before rows are judged": (
        "watch: {lateness: 1m}",
        "watch.lateness",
        "judge.row_deadline",
    ),
    "a window of half a minute": ("watch: {windows: [30s]}", "watch.windows.0", "whole minutes"),
    "a window longer than what is kept": ("watch: {windows: [29d]}", "watch.windows.0", "28 days"),
    "an alert over more than is kept": (
        "alerts: [{name: a, kind: blind, window: 29d}]",
        "alerts.0.window",
        "28 days",
    ),
    "an alert on a segment that is not kept": (
        "alerts: [{name: a, kind: threshold, scorer: faithfulness, above: 0.1, by: model}]",
        "alerts.0.by",
        "watch.segments",
    ),
    "a burn that no rate can reach": (
        "alerts: [{name: a, kind: burn_rate, scorer: faithfulness, slo: 0.9, "
        "pairs: [{long: 1h, short: 5m, burn: 14.4}]}]",
        "alerts.0.pairs.0.burn",
        "above 144% bad answers",
    ),
    "a pair over half a minute": (
        "alerts: [{name: a, kind: burn_rate, scorer: faithfulness, "
        "pairs: [{long: 1h, short: 30s, burn: 5}]}]",
        "alerts.0.pairs.0.short",
        "whole minutes",
    ),
    "an alert on a scorer that is off": (
        "scorers: {faithfulness: null}",
        "alerts.0.scorer",
        "turn it on",
    ),
    "two alerts of one name": (
        "alerts: [{name: a, kind: blind}, {name: a, kind: traffic}]",
        "alerts",
        "a stands 2 times",
    ),
    "a chat judge without an address": ("judge: {kind: chat}", "judge.chat.url", "needs it"),
    "a budget for the rules judge": (
        "judge: {budget: {cost_per_day: 5}}",
        "judge.budget",
        "costs nothing",
    ),
    "a budget in dollars for a model without a price": (
        "judge: {kind: chat, chat: {url: 'https://judge.example/v1', model: m, "
        "price: {input_per_million: 1}}, budget: {cost_per_day: 5}}",
        "judge.chat.price",
        "cannot be counted",
    ),
    "a budget in dollars for reasons without a price": (
        "judge: {reasons: {url: 'https://judge.example/v1', model: m}, budget: {cost_per_day: 5}}",
        "judge.reasons.price",
        "cannot be counted",
    ),
    "a cascade without a model": (
        "judge: {kind: cascade, cascade: [rules, decisions]}",
        "judge.decisions.model",
        "needs it",
    ),
}


@pytest.mark.parametrize(("text", "path", "says"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_what_cannot_be_had_together_is_refused_with_the_way_out(
    text: str, path: str, says: str, write: Write
) -> None:
    said = problems(write(text))

    assert says in said[path]


NOT_SERVED = {
    "another encoding": ("intake: {encoding: otlp_json}", "intake.encoding"),
    "a span": ("telemetry: {attach_to: root}", "telemetry.attach_to"),
}


@pytest.mark.parametrize(("text", "path"), NOT_SERVED.values(), ids=NOT_SERVED)
def test_a_key_that_nothing_reads_yet_is_refused(text: str, path: str, write: Write) -> None:
    assert NOT_YET.get(path, "not served yet") in problems(write(text))[path]


def test_a_key_that_nothing_reads_yet_may_say_its_default(write: Write) -> None:
    assert load(
        write("kafka: {partitions: 8}\ntelemetry: {attach_to: answer}\njudge: {kind: rules}")
    )


def test_a_budget_of_calls_needs_no_price(write: Write) -> None:
    chat = "{url: 'https://judge.example/v1', model: m}"
    text = f"judge: {{kind: chat, chat: {chat}, budget: {{calls_per_hour: 100}}}}"

    assert load(write(text)).judge.budget.calls_per_hour == 100


def test_the_keys_of_a_scorer_that_is_off_are_not_looked_at(write: Write) -> None:
    assert load(write("scorers: {faithfulness: null}\nalerts: []")).scorers.faithfulness is None


def test_every_key_that_is_not_served_exists() -> None:
    defaults = yaml.safe_load(commented(Settings()))

    for path in NOT_YET:
        value = defaults
        for step in path.split("."):
            value = value[step]


def test_all_that_is_wrong_is_said_at_once(write: Write) -> None:
    said = problems(
        write(
            """
            sampel: {}
            sampling: {probability: 2, salt: ""}
            judge: {kind: chat, row_deadline: 10}
            telemetry: {judged_text: true}
            watch: {windows: [soon]}
            """
        )
    )

    assert set(said) == {
        "sampel",
        "sampling.probability",
        "sampling.salt",
        "judge.row_deadline",
        "telemetry.judged_text",
        "watch.windows.0",
    }


def test_the_error_reads_as_one_line_for_each_problem(write: Write) -> None:
    with pytest.raises(SettingsError) as refused:
        load(write("sampling: {probability: 2}\nbroker: here"))

    assert str(refused.value).splitlines() == [
        "broker: write folder:PATH, or kafka://HOST:PORT with commas between several",
        "sampling.probability: should be less than or equal to 1",
    ]
