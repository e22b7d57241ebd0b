"""The shapes: what a collector gets of a score and of the work on a batch."""

from dataclasses import replace

import pytest

from schemas.score import Failed, InvalidInput, NotScorable, Outcome, ScoringError
from streams.telemetry.conventions import SCHEMA_URL
from streams.telemetry.targets import Target
from streams.telemetry.work import MOST_LINKS, Work, begun
from tests.fakes import a_record
from tests.streams.telemetry.told import (
    EVENT_ID,
    SPAN_ID,
    TARGET,
    TRACE_ID,
    an_evaluation,
    as_log,
    as_span,
    expected,
    plain,
    scored,
)

OURS = Target(0x3A3C21A22D04686AEB06930A3B1C6AD4, 0xC5C30DA8C3C6F4AE)
TRACEPARENT = ("traceparent", f"00-{TRACE_ID}-{SPAN_ID}-01".encode())
SPANS = "streamgauge_carrier_spans.json"
NO_VERDICT: dict[str, tuple[Outcome, dict[str, str]]] = {
    "an error": (
        Failed(error=ScoringError(kind="judge_failed", cause="rate_limited")),
        {"error.type": "rate_limited", "streamgauge.error.kind": "judge_failed"},
    ),
    "an error without a cause": (
        Failed(error=ScoringError(kind="deadline")),
        {"error.type": "deadline"},
    ),
    "bad input": (
        InvalidInput(reason="answer_unusable"),
        {"error.type": "invalid_input", "streamgauge.outcome.reason": "answer_unusable"},
    ),
    "nothing to judge": (
        NotScorable(reason="missing_contexts"),
        {"streamgauge.outcome.reason": "missing_contexts"},
    ),
}


def some_work(*, rows: int = 1, headers: tuple[tuple[str, bytes], ...] = (TRACEPARENT,)) -> Work:
    records = [
        a_record(b"{}", 1234 + n, partition=3)._replace(headers=headers) for n in range(rows)
    ]
    return begun(records, ids=OURS, system="kafka", group="streamgauge", at=1_000)


def test_the_log_event_is_the_expected_one_and_names_the_score() -> None:
    (model,) = expected("streamgauge_evaluation_log.json", "Logs")

    told = as_log(an_evaluation(judged_text=True))

    for name in ("traceId", "spanId", "flags", "eventName", "severityNumber"):
        assert told[name] == model[name]
    assert plain(model["attributes"]).items() <= told["attributes"].items()
    assert told["attributes"]["streamgauge.score.id"] == EVENT_ID
    assert told["time"] == told["observed"] > 0
    assert told["schema"] == SCHEMA_URL


def test_the_carrier_is_the_expected_span() -> None:
    model = next(span for span in expected(SPANS, "Spans") if span["name"].startswith("evaluate"))
    work = some_work()

    told = as_span((an_evaluation(judged_text=True), work))

    assert (told["name"], told["kind"]) == (model["name"], model["kind"])
    assert plain(model["attributes"]).items() <= told["attributes"].items()
    assert told["links"] == [(TRACE_ID, SPAN_ID)]
    ((name, attributes),) = told["events"]
    assert name == model["events"][0]["name"]
    assert plain(model["events"][0]["attributes"]).items() <= attributes.items()
    assert int(told["traceId"], 16) == work.trace_id != TARGET.trace_id
    assert int(told["parentSpanId"], 16) == work.span_id
    assert told["schema"] == SCHEMA_URL


def test_a_carrier_does_not_begin_before_the_work_that_it_is_part_of() -> None:
    evaluation, work = an_evaluation(), some_work()
    work.began = evaluation.ended - 5

    told = as_span((replace(evaluation, began=evaluation.ended - 900), work))

    assert (told["start"], told["end"]) == (work.began, evaluation.ended)


def test_the_span_of_a_record_is_the_expected_one() -> None:
    model = next(span for span in expected(SPANS, "Spans") if span["name"].startswith("process"))
    work = some_work()
    work.ended = 2_000

    told = as_span(work)

    assert (told["name"], told["kind"]) == (model["name"], model["kind"])
    assert plain(model["attributes"]) == told["attributes"]
    assert told["links"] == [(TRACE_ID, SPAN_ID)]
    assert (told["start"], told["end"]) == (1_000, 2_000)


def test_the_span_of_a_batch_counts_its_rows_and_links_to_as_many_as_a_span_may() -> None:
    told = as_span(some_work(rows=MOST_LINKS + 9))

    assert told["attributes"]["messaging.batch.message_count"] == MOST_LINKS + 9
    assert "messaging.kafka.offset" not in told["attributes"]
    assert len(told["links"]) == MOST_LINKS


def test_a_record_without_a_traceparent_or_with_a_spoilt_one_is_not_linked_to() -> None:
    spoilt = ("traceparent", b"00-\xff-01")

    assert as_span(some_work(headers=()))["links"] == []
    assert as_span(some_work(headers=(spoilt,)))["links"] == []


@pytest.mark.parametrize(("outcome", "says"), NO_VERDICT.values(), ids=NO_VERDICT)
def test_without_a_verdict_there_is_an_event_without_a_value(
    outcome: Outcome, says: dict[str, str]
) -> None:
    log = as_log(an_evaluation(outcome))
    span = as_span((an_evaluation(outcome), None))

    assert says.items() <= log["attributes"].items()
    assert not {name for name in log["attributes"] if "score.value" in name or "label" in name}
    assert not {name for name in span["attributes"] if name.endswith(("score", "label"))}
    assert ("error.type" in says) == (span["status"] == 2) == ("error.type" in span["attributes"])


def test_no_judged_text_leaves_unless_it_was_asked_for() -> None:
    secret = scored(reason="SECRET", breakdown={"claims": [{"text": "SECRET"}]})

    kept, asked = an_evaluation(secret), an_evaluation(secret, judged_text=True)

    assert "SECRET" not in str([as_log(kept), as_span((kept, None))])
    assert as_log(asked)["attributes"]["gen_ai.evaluation.explanation"] == "SECRET"
    explained = as_span((asked, None))["attributes"]["evaluations.0.evaluation.explanation"]
    assert explained == "SECRET"


def test_a_score_told_of_twice_has_the_same_span_id_and_says_which_it_is() -> None:
    once, again = as_span((an_evaluation(), None)), as_span((an_evaluation(), None))

    assert once["spanId"] == again["spanId"] == EVENT_ID[:16]
    assert once["attributes"] == again["attributes"]
    assert once["attributes"]["streamgauge.score.id"] == EVENT_ID


def test_an_id_that_no_context_can_name_goes_along_as_an_attribute() -> None:
    told = an_evaluation(target=None)

    log, span = as_log(told), as_span((told, None))

    assert (log["traceId"], log["spanId"]) == ("", "")
    assert log["attributes"]["streamgauge.target.trace_id"] == TRACE_ID
    assert span["links"] == []


def test_rules_are_code_and_models_are_not() -> None:
    kind = "evaluations.0.evaluation.annotator_kind"

    assert as_span((an_evaluation(judge="rules"), None))["attributes"][kind] == "CODE"
    assert as_span((an_evaluation(judge="cascade"), None))["attributes"][kind] == "LLM"
