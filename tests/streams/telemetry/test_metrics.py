"""The table of metrics: what stands in it is what the page shows, and no series grows with rows."""

import re
from pathlib import Path

from streams.telemetry.metrics import Metric, table

PAGE = Path(__file__).parents[3] / "docs" / "metrics.md"
BOUNDED = {
    "assistant", "budget", "cause", "dialect", "field", "judge", "kind", "outcome", "partition",
    "reason", "receiver", "rule", "scorer", "segment", "signal", "sink", "status", "stratum", "to",
    "type", "value", "why", "window",
    "error.type", "gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model",
    "gen_ai.response.model", "gen_ai.token.type",
}  # fmt: skip
"""Attributes that settings, code or a cap bound."""


def test_the_page_on_metrics_shows_the_table() -> None:
    rows = [
        line
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith(("| `streamgauge_", "| `gen_ai_"))
    ]

    assert rows == table(), "paste the lines of streams.telemetry.metrics.table() there"


def test_every_metric_has_a_name_of_its_own_and_says_in_a_line_what_it_is() -> None:
    names = [metric.value.exposed for metric in Metric]

    assert len(set(names)) == len(names)
    for metric in Metric:
        name, unit, kind, _, says, buckets = metric.value
        assert re.fullmatch(r"(streamgauge|gen_ai\.client)(\.[a-z][a-z_]*)+", name)
        assert unit in {"1", "s", "By"} or re.fullmatch(r"\{\w+\}", unit)
        assert says.endswith(".")
        assert len(says) <= 60
        assert bool(buckets) == (kind == "histogram")


def test_no_attribute_takes_what_comes_with_a_row() -> None:
    assert {name for metric in Metric for name in metric.value.attributes} <= BOUNDED


def test_the_counters_that_rules_divide_have_the_names_that_rules_expect() -> None:
    assert Metric.SCORED.value.exposed == "streamgauge_rows_scored_total"
    assert Metric.WEIGHT.value.exposed == "streamgauge_weight_total"
    assert Metric.BAD_WEIGHT.value.exposed == "streamgauge_bad_weight_total"
