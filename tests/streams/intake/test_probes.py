"""Rows that Streamgauge caused itself are told by their mark, wherever it travels."""

import pytest

from schemas.rejection import Rejection
from schemas.trace import RagTrace
from scorers.assistant import PROBE
from streams.intake.decode import Intake
from streams.intake.layout import RowLayout
from tests.streams.intake.rows import record, row

INTAKE = Intake()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("baggage", "streamgauge.probe=1"),
        ("baggage", "user=7, streamgauge.probe = 1;ttl=3, region=eu"),
        ("streamgauge-probe", "1"),
        *PROBE.items(),
    ],
)
def test_a_header_of_the_record_marks_a_probe(name: str, value: str) -> None:
    marked = record(row())._replace(headers=((name, value.encode()),))

    for rejected in (INTAKE.head(marked), INTAKE.decode(marked)):
        assert isinstance(rejected, Rejection)
        assert (rejected.reason, rejected.kept) == ("probe", False)


@pytest.mark.parametrize(
    "attributes",
    [
        {"streamgauge.probe": "1"},
        {"streamgauge.probe": True},
        {"streamgauge.probe": 1},
        {"baggage": "streamgauge.probe=1"},
        {**{f"label{n}": "x" for n in range(20)}, "streamgauge.probe": "1"},
    ],
)
def test_an_attribute_of_the_row_marks_a_probe(attributes: dict[str, object]) -> None:
    assert isinstance(INTAKE.decode(record(row(attributes=attributes))), Rejection)


@pytest.mark.parametrize(
    ("header", "attributes"),
    [
        ("streamgauge.probe=0", {}),
        ("xstreamgauge.probe=1", {}),
        ("note=streamgauge.probe", {}),
        ("", {"streamgauge.probe": "0"}),
        ("", {"question": "streamgauge.probe=1"}),
    ],
)
def test_what_only_looks_like_the_mark_is_judged(
    header: str, attributes: dict[str, object]
) -> None:
    plain = record(row(attributes=attributes))._replace(headers=(("baggage", header.encode()),))

    assert isinstance(INTAKE.decode(plain), RagTrace)


def test_a_mark_that_the_layout_maps_counts_too() -> None:
    intake = Intake(RowLayout(fields={"attributes.baggage": "request.baggage"}))

    rejected = intake.decode(record(row(request={"baggage": "streamgauge.probe=1"})))

    assert isinstance(rejected, Rejection)
    assert rejected.reason == "probe"
