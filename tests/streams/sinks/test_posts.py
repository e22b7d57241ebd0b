"""What other systems are sent of a score."""

from typing import Any

import pytest

from schemas.score import NotScorable, Outcome
from streams.sinks.posts import langfuse, phoenix
from tests.streams.telemetry.told import EVENT_ID, SPAN_ID, TRACE_ID, an_event, scored
from tests.streams.watch.records import failed


def body_of(post: Any) -> dict[str, Any]:
    assert post is not None
    found: dict[str, Any] = post.body
    return found


def test_langfuse_gets_a_score_of_the_span_under_our_own_id() -> None:
    post = langfuse(an_event(), attach_to="answer", judged_text=False)

    assert post is not None
    assert post.path == "/api/public/scores"
    body = body_of(post)
    metadata = body.pop("metadata")
    assert body == {
        "id": EVENT_ID,
        "traceId": TRACE_ID,
        "observationId": SPAN_ID,
        "name": "faithfulness",
        "value": 0.5,
        "dataType": "NUMERIC",
        "environment": "production",
    }
    assert (metadata["label"], metadata["bad"]) == ("partially_supported", True)


def test_langfuse_is_told_of_the_trace_where_scores_belong_to_the_root() -> None:
    body = body_of(langfuse(an_event(), attach_to="root", judged_text=False))

    assert body["traceId"] == TRACE_ID
    assert "observationId" not in body


def test_langfuse_knows_traces_by_any_id() -> None:
    body = body_of(langfuse(an_event(trace_id="order-123"), attach_to="answer", judged_text=False))

    assert body["traceId"] == "order-123"
    assert "observationId" not in body


@pytest.mark.parametrize("environment", ["Prod EU", "langfuse-x", "x" * 41])
def test_an_environment_that_langfuse_would_refuse_is_left_out(environment: str) -> None:
    event = an_event()
    named = event.trace.model_copy(update={"environment": environment})

    post = langfuse(
        event.model_copy(update={"trace": named}), attach_to="answer", judged_text=False
    )

    assert "environment" not in body_of(post)


def test_phoenix_gets_an_annotation_of_the_span_with_our_identifier() -> None:
    post = phoenix(an_event(), attach_to="answer", judged_text=False)

    assert post is not None
    assert post.path == "/v1/span_annotations?sync=true"
    (annotation,) = body_of(post)["data"]
    assert annotation["span_id"] == SPAN_ID
    assert annotation["name"] == "faithfulness"
    assert annotation["annotator_kind"] == "LLM"
    assert annotation["result"] == {"score": 0.5, "label": "partially_supported"}
    assert annotation["identifier"] == EVENT_ID


def test_phoenix_gets_one_of_the_trace_where_scores_belong_to_the_root() -> None:
    post = phoenix(an_event(judge="rules"), attach_to="root", judged_text=False)

    assert post is not None
    assert post.path == "/v1/trace_annotations?sync=true"
    (annotation,) = body_of(post)["data"]
    assert annotation["trace_id"] == TRACE_ID
    assert "span_id" not in annotation
    assert annotation["annotator_kind"] == "CODE"


def test_phoenix_has_no_trace_of_another_kind_of_id() -> None:
    assert phoenix(an_event(trace_id="order-123"), attach_to="answer", judged_text=True) is None


@pytest.mark.parametrize("outcome", [failed(), NotScorable(reason="undecided")])
def test_without_a_verdict_nothing_is_sent(outcome: Outcome) -> None:
    for posts in (langfuse, phoenix):
        assert posts(an_event(outcome), attach_to="answer", judged_text=True) is None


def test_the_judges_reason_is_sent_only_if_asked_for() -> None:
    event = an_event(scored(reason="SECRET"))

    for posts in (langfuse, phoenix):
        assert "SECRET" not in str(posts(event, attach_to="answer", judged_text=False))
        assert "SECRET" in str(posts(event, attach_to="answer", judged_text=True))
