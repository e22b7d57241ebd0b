"""Values that no setting may have, each refused with its path."""

import pytest

from tests.streams.settings.loading import Write, problems

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
    "a rule without a name to speak of": (
        "alerts: [{name: '  ', kind: blind}]",
        "alerts.0.name",
        "that people can read",
    ),
    "a rule whose name has lines": (
        'alerts: [{name: "a\\nb", kind: blind}]',
        "alerts.0.name",
        "in one line",
    ),
    "a rule that fires after years": (
        "alerts: [{name: a, kind: threshold, scorer: faithfulness, above: 0.1, for: 1000000000}]",
        "alerts.0.for",
        "to 1440",
    ),
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
