"""The Grafana dashboard: it can be laid out, and asks for series and labels that are scraped."""

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from streams.telemetry.metrics import Metric
from tests.deploy.promql import OF_TARGETS, Known, UnknownError, labels_of, scraped
from tests.streams.vitals.test_station import everything

GRAFANA = Path(__file__).parents[2] / "deploy" / "grafana"
COLUMNS = 24
BUILT_IN = {"__rate_interval": "5m"}
LEGEND = re.compile(r"\{\{(\w+)\}\}")


@cache
def dashboard() -> Any:
    return json.loads((GRAFANA / "dashboards" / "streamgauge.json").read_text())


def panels(*, rows: bool = False) -> list[Any]:
    return [one for one in dashboard()["panels"] if (one["type"] == "row") == rows]


def variables() -> dict[str, Any]:
    return {one["name"]: one for one in dashboard()["templating"]["list"]}


def filled(expr: str) -> str:
    """Put something in the place of each variable. Raises KeyError for one that is not there."""
    values = dict.fromkeys(variables(), "x") | BUILT_IN
    return re.sub(r"\$(\w+)", lambda found: values[found[1]], expr)


async def known(folder: Path) -> Known:
    of_alerts = OF_TARGETS | {"alertname", "severity", "alertstate"}
    return {"ALERTS": of_alerts, **scraped(await everything(folder))}


async def test_every_expression_asks_for_what_is_scraped_and_legends_for_labels_that_it_yields(
    tmp_path: Path,
) -> None:
    here = await known(tmp_path)

    for panel in panels():
        for target in panel["targets"]:
            labels = labels_of(filled(target["expr"]), here)
            assert set(LEGEND.findall(target["legendFormat"])) <= labels, panel["title"]
    for note in dashboard()["annotations"]["list"]:
        labels = labels_of(filled(note["expr"]), here)
        assert set(LEGEND.findall(note["titleFormat"] + note["textFormat"])) <= labels


async def test_every_variable_lists_a_label_of_a_series_that_is_scraped(tmp_path: Path) -> None:
    here = await known(tmp_path)
    queries = [one["query"]["query"] for one in variables().values() if one["type"] == "query"]

    assert queries
    for query in queries:
        found = re.fullmatch(r"label_values\((\w+), (\w+)\)", query)
        assert found, query
        assert found[2] in here[found[1]], query


def test_every_metric_is_on_it_but_those_that_are_for_rules_or_for_one_question() -> None:
    """What is measured and shown nowhere is found by nobody."""
    said, names = json.dumps(dashboard()), {metric.value.exposed for metric in Metric}

    shown = {name for name in names if re.search(rf"\b{name}(_bucket)?\b", said)}

    assert names - shown == LEFT_OUT


LEFT_OUT = {
    "gen_ai_client_token_usage",
    "streamgauge_attributes_capped",
    "streamgauge_evaluation_score",
    "streamgauge_judge_escalated_total",
    "streamgauge_rows_sampled_total",
    "streamgauge_weight_total",
    "streamgauge_bad_weight_total",
    "streamgauge_window_corrected_lower",
    "streamgauge_window_corrected_upper",
}


def test_a_variable_that_is_not_there_would_be_found() -> None:
    with pytest.raises(KeyError):
        filled('streamgauge_lag{job="$jobs"}')


async def test_a_label_that_is_not_there_would_be_found(tmp_path: Path) -> None:
    with pytest.raises(UnknownError):
        labels_of(filled('streamgauge_window_rate{segment="$segment"}'), await known(tmp_path))


def test_a_panel_has_an_id_a_title_a_unit_and_a_sentence_and_lets_its_source_be_chosen() -> None:
    ids = Counter(panel["id"] for panel in dashboard()["panels"])

    assert set(ids.values()) == {1}
    for panel in panels():
        assert panel["title"]
        assert panel["description"].endswith("."), panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"]
        for one in (panel, *panel["targets"]):
            assert one["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])
    assert variables()["datasource"]["type"] == "datasource"


def test_no_panel_lies_over_another_or_beside_the_board() -> None:
    taken: Counter[tuple[int, int]] = Counter()
    for panel in dashboard()["panels"]:
        at = panel["gridPos"]
        assert 0 <= at["x"] < at["x"] + at["w"] <= COLUMNS
        taken.update(
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        )

    assert set(taken.values()) == {1}


def test_each_row_of_the_board_has_panels_below_it() -> None:
    tops = sorted(row["gridPos"]["y"] for row in panels(rows=True))
    ends = [*tops[1:], 10_000]

    for top, end in zip(tops, ends, strict=True):
        assert [one for one in panels() if top < one["gridPos"]["y"] < end]


def test_grafana_is_told_where_the_board_and_its_source_are() -> None:
    told = GRAFANA / "provisioning"
    sources = yaml.safe_load((told / "datasources" / "prometheus.yaml").read_text())
    boards = yaml.safe_load((told / "dashboards" / "streamgauge.yaml").read_text())

    assert sources["apiVersion"] == boards["apiVersion"] == 1
    assert [one["type"] for one in sources["datasources"]] == ["prometheus", "alertmanager"]
    assert [one["type"] for one in boards["providers"]] == ["file"]
