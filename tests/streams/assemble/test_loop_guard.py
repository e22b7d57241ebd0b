"""The loop guard: our own telemetry, and whatever judges answers, is never scored."""

from dataclasses import replace

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import (  # noqa: TID251 - what is sent
    encode_spans,
)
from opentelemetry.sdk.resources import Resource  # noqa: TID251

from streams.assemble.loop_guard import comes_of_judging
from streams.assemble.otlp_proto import spans
from streams.assemble.rows import rows
from streams.assemble.span import Value
from streams.telemetry.work import begun
from tests.fakes import a_record
from tests.streams.assemble.making import chat, retrieval, span, step
from tests.streams.assemble.shop import the_spans
from tests.streams.telemetry.told import TARGET, a_making, an_evaluation


def test_all_that_we_export_is_ours_and_none_of_it_becomes_a_row() -> None:
    exported = the_spans("streamgauge_carrier_spans")

    assert len(exported) == 3
    assert all(comes_of_judging(one) for one in exported)
    assert rows(exported) == []


def test_what_we_send_now_is_known_for_ours_even_under_a_service_name_of_its_own() -> None:
    making = replace(a_making(), resource=Resource({"service.name": "quality"}))
    work = begun([a_record(b"{}", 7)], ids=TARGET, system="kafka", group="streamgauge", at=1_000)
    work.ended = 2_000
    sent = encode_spans([making.span(work), making.span((an_evaluation(), work))])

    fed_back = spans(sent.SerializeToString())

    assert [one.resource["service.name"] for one in fed_back] == ["quality", "quality"]
    assert all(comes_of_judging(one) for one in fed_back)
    assert rows(fed_back) == []


def test_a_span_of_our_scope_is_ours_whatever_the_process_is_called() -> None:
    assert comes_of_judging(span(1, scope="streamgauge", service="quality"))
    assert not comes_of_judging(span(1, scope="shop.rag"))


@pytest.mark.parametrize(
    "attributes",
    [
        {"openinference.span.kind": "EVALUATOR"},
        {"openinference.span.kind": "DECISION"},
        {"openinference.span.kind": "guardrail"},
        {"gen_ai.operation.name": "evaluation"},
        {"langfuse.observation.type": "evaluator"},
        {"mlflow.spanType": '"GUARDRAIL"'},
    ],
)
def test_judging_is_never_judged_whoever_does_it(attributes: dict[str, Value]) -> None:
    assert comes_of_judging(span(1, attributes=attributes))


@pytest.mark.parametrize("kind", [["EVALUATOR"], {"kind": "EVALUATOR"}, None, 7, "CHAIN"])
def test_any_other_kind_is_none_of_judging(kind: Value) -> None:
    assert not comes_of_judging(
        span(1, attributes={"openinference.span.kind": kind, "gen_ai.operation.name": kind})
    )


def test_what_an_evaluator_calls_is_left_out_with_it() -> None:
    assistant = [
        step(1, None, at=0, ends=9),
        retrieval(2, 1, at=1),
        chat(3, 1, at=2, says="At ten."),
    ]
    evaluator = [
        span(4, 1, at=5, attributes={"openinference.span.kind": "EVALUATOR"}),
        chat(5, 4, at=6, says="It is faithful."),
    ]

    [row] = rows(assistant + evaluator)

    assert row.answer == "At ten."


def test_a_gateway_between_us_and_the_judge_adds_no_row() -> None:
    ours = span(1, at=0, ends=9, service="streamgauge")
    gateway = chat(2, 1, at=1, says="supported")

    assert rows([ours, gateway]) == []
