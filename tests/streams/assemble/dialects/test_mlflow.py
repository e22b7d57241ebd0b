"""MLflow's tracing: everything in JSON."""

import json

from streams.assemble.rows import rows
from tests.streams.assemble.making import span
from tests.streams.assemble.shop import ANSWER, PASSAGES, QUESTION, contexts_of, the_row


def test_texts_that_are_written_as_json_are_read_as_texts() -> None:
    row = the_row("mlflow_otlp")

    assert (row.question, row.answer) == (QUESTION, ANSWER)
    assert contexts_of(row) == PASSAGES
    assert [passage.source for passage in row.contexts or ()] == [f"{key}.md" for key in PASSAGES]
    assert (row.session_id, row.response_id) == (None, None)
    assert (row.span_id, row.root_span_id) == ("c02a6d1725a28ef2", "78574c55ed9aa28a")
    assert row.attributes == {"context_source": "retriever"}
    assert row.dialect == "mlflow"


def test_a_process_without_a_name_is_an_unknown_service_and_that_is_said() -> None:
    row = the_row("mlflow_otlp")

    assert (row.service, row.missing) == ("unknown_service", ("service",))


def test_the_model_and_the_response_s_id_are_in_what_it_gave_back() -> None:
    said = {"message": {"role": "assistant", "content": "At ten."}}
    call = span(
        1,
        attributes={
            "mlflow.spanType": '"CHAT_MODEL"',
            "mlflow.trace.session": '"s-1"',
            "mlflow.spanInputs": json.dumps({"messages": [{"role": "user", "content": "When?"}]}),
            "mlflow.spanOutputs": json.dumps({"id": "chatcmpl-1", "model": "m", "choices": [said]}),
        },
    )

    [row] = rows([call])

    assert (row.response_id, row.session_id) == ("chatcmpl-1", "s-1")
    assert (row.answer, row.attributes) == ("At ten.", {"model": "m"})
